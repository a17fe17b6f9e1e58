/// A limited number of pending promises, created on the default queue and counted on the threads that settle them.
final class Throttle<Value: Sendable>: Upstream, @unchecked Sendable {
    // Unchecked: mutable state is only accessed under the lock.

    /// Returns the next promise, or nil if there are no more. Called by only one block at a time.
    private var next: (() -> Promise<Value>?)?
    private let limit: Int
    private let output: PromiseStorage
    private let stopsAtError: Bool
    private let finish: ([Result<Value, any Error>]) -> Void
    private var outcomes: [Result<Value, any Error>?] = []
    private var underway: [Int: (promise: PromiseStorage, ticket: Ticket?)] = [:]
    /// Whether promises are no longer waited for, including those still to come.
    private var isStopped = false
    /// Whether a block that creates promises is scheduled or running.
    private var isFilling = true

    init(
        _ next: @escaping () -> Promise<Value>?, limit: Int, output: PromiseStorage, stopsAtError: Bool,
        finish: @escaping ([Result<Value, any Error>]) -> Void
    ) {
        self.next = next
        self.limit = limit
        self.output = output
        self.stopsAtError = stopsAtError
        self.finish = finish
    }

    func begin() {
        output.withState { $0.wait(for: self) }
        fillLater()
    }

    private func fillLater() { Guarantee().done(on: .pledge) { self.fill() } }

    private func fill() {
        // A limited number per block, because there may be no end of promises that have already settled.
        for _ in 0..<DefaultQueue.turn {
            guard let next = nextIfRoom() else { return }
            guard let promise = next() else {
                exhaust()
                continue
            }
            lock()
            if isStopped {
                unlock()
                abandon(promise.storage)
                continue
            }
            let index = outcomes.count
            outcomes.append(nil)
            underway[index] = (promise.storage, nil)
            unlock()
            let ticket = promise.storage.observe { _ in self.settle(index, as: promise) }
            lock()
            let isLate = isStopped
            if underway[index] != nil { underway[index] = isLate ? nil : (promise.storage, ticket) }
            unlock()
            // Stopped in the meantime.
            if isLate, let ticket { promise.storage.leave(ticket).forEach(abandon) }
        }
        fillLater()
    }

    /// Returns the closure that creates promises if there is room for another one. If not, this block is over.
    private func nextIfRoom() -> (() -> Promise<Value>?)? {
        lock()
        let next = underway.count < limit ? next : nil
        isFilling = next != nil
        let all = self.next == nil && underway.isEmpty && !isStopped ? outcomes : nil
        unlock()
        if let all { finish(all.compactMap { $0 }) }
        return next
    }

    /// The closure is released after unlocking, because what it captures is the caller's.
    private func exhaust() { withExtendedLifetime(locked { next.take() }) {} }

    private func settle(_ index: Int, as promise: Promise<Value>) {
        if stopsAtError, !output.isCancelled, let error = promise.storage.failure {
            output.reject(error)
            return stop()
        }
        lock()
        guard underway.removeValue(forKey: index) != nil else { return unlock() }
        if !output.isCancelled { outcomes[index] = promise._outcome }
        let (isIdle, isExhausted) = (!isFilling, next == nil)
        isFilling = isFilling || !isExhausted
        unlock()
        guard isIdle else { return }
        if isExhausted { _ = nextIfRoom() } else { fillLater() }
    }

    /// Stops waiting for the pending promises, which continue, because an error has decided the outcome.
    private func stop() {
        for promise in leave() { abandon(promise) }
        locked { underway = [:] }
    }

    /// Ends the creation of promises, and returns those that were pending.
    private func leave() -> [PromiseStorage] {
        exhaust()
        let left = locked {
            isStopped = true
            return underway.sorted { $0.key < $1.key }.compactMap { _, item in item.ticket.map { (item.promise, $0) } }
        }
        return left.flatMap { promise, ticket in promise.leave(ticket) }
    }

    /// Cancels a promise if the output was canceled. After an error, it continues, and its own error counts as handled.
    private func abandon(_ promise: PromiseStorage) {
        if output.isCancelled { promise.cancel(unlessAwaited: true) } else { promise.withState { $0.set(.observed) } }
    }

    override func leave(_ ticket: Ticket) -> [PromiseStorage] { leave() }

    /// A canceled guarantee stops waiting, too: its value is the outcomes so far.
    override func uncount(_ ticket: Ticket, holds: Bool) -> [PromiseStorage] { leave() }

    /// After a cancel, the outcomes so far are the result once the cleanups have ended.
    override func unfinished(below end: PromiseStorage) -> Unfinished {
        lock()
        let (left, outcomes) = (underway.values.map(\.promise), outcomes.compactMap { $0 })
        underway = [:]
        unlock()
        let cleanup = PromiseStorage.all(left.compactMap { $0.unfinished(below: end).cleanup })
        // This handler keeps the cleanup alive: nothing else may be waiting for it.
        if cleanup?.observe(.uncounted, { _ in self.finish(outcomes) }) == nil { finish(outcomes) }
        return Unfinished(cleanup: cleanup)
    }
}
