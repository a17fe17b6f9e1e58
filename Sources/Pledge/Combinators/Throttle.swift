/// A limited number of pending promises, created on the default queue and counted on the threads that settle them.
///
/// Not generic, as ``PromiseStorage`` isn't: looking up types at run time was two thirds of a promise's cost.
@usableFromInline final class Throttle: Upstream, @unchecked Sendable {
    // Unchecked: mutable state is only accessed under the lock. So is exclusivity: checking costs 6 % of a promise.

    /// Returns the next promise, or nil after the last. Called by only one block at a time. Nil once it is over.
    @exclusivity(unchecked) private var next: (() -> PromiseStorage?)?
    private let limit: Int
    private let output: PromiseStorage
    private let stopsAtError: Bool
    /// Keeps the outcome of the promise with this number, starting from 0. Called under the lock.
    private let keep: (Int, PromiseStorage) -> Void
    private let finish: () -> Void
    @exclusivity(unchecked) private var underway = HandlerList<Place>()
    /// Whether a block that creates promises is scheduled or running.
    @exclusivity(unchecked) private var isFilling = true

    /// The place of a pending promise, with the ticket of its handler; empty while the promise is being created.
    private struct Place: Waiting {
        var promise: (PromiseStorage, Ticket)?
        var counts: Bool { true }
    }

    @usableFromInline init(
        _ next: @escaping () -> PromiseStorage?, limit: Int, output: PromiseStorage, stopsAtError: Bool,
        keep: @escaping (Int, PromiseStorage) -> Void, finish: @escaping () -> Void
    ) {
        self.next = next
        self.limit = limit
        self.output = output
        self.stopsAtError = stopsAtError
        self.keep = keep
        self.finish = finish
        super.init()
        output.withState { $0.wait(for: self) }
        fillLater()
    }

    private func fillLater() { DefaultQueue.shared.append(Work { _ in self.fill() }) }

    private func fill() {
        // A limited number per block, because there may be no end of promises that have already settled.
        for _ in 0..<DefaultQueue.turn {
            guard let (next, number) = takePlace() else { return }
            guard let promise = next() else {
                exhaust()
                locked { _ = underway.change(number) { _ in nil } }
                continue
            }
            let ticket = promise.observe { self.settle(number, $0) }
            guard let ticket else { continue }
            let isStopped = locked {
                _ = underway.change(number) { _ in Place(promise: (promise, ticket)) }
                return self.next == nil
            }
            if isStopped { Self.leave([(promise, ticket)], for: output) }
        }
        fillLater()
    }

    /// Returns what creates a promise, and its number, if there is room. If not, this block is over.
    private func takePlace() -> (next: () -> PromiseStorage?, number: Ticket)? {
        lock()
        let place = underway.count < limit ? next.map { ($0, underway.append(Place())) } : nil
        isFilling = place != nil
        let isOver = self.next == nil && underway.count == 0 && !output.isCancelled
        unlock()
        if isOver { finish() }
        return place
    }

    /// The closure is released after unlocking, because what it captures is the caller's.
    private func exhaust() { withExtendedLifetime(locked { next.take() }) {} }

    private func settle(_ number: Ticket, _ promise: PromiseStorage) {
        if stopsAtError, let error = promise.failure, !output.isCancelled {
            output.reject(error)
            exhaust()
            return Self.leave(waited, for: output)
        }
        lock()
        guard underway.change(number, { _ in nil }) != nil else { return unlock() }
        if !output.isCancelled { keep(Int(number) - 1, promise) }
        let (isIdle, isExhausted) = (!isFilling, next == nil)
        isFilling = true
        unlock()
        if isIdle { isExhausted ? fill() : fillLater() }
    }

    private var waited: [(PromiseStorage, Ticket)] { locked { underway.all.compactMap(\.promise) } }

    override var promises: [PromiseStorage] { waited.map(\.0) }

    override func leave(_ ticket: Ticket) -> [PromiseStorage] {
        exhaust()
        return Self.leave(waited)
    }

    /// A canceled guarantee stops waiting, too: its value is the outcomes so far.
    override func uncount(_ ticket: Ticket, holds: Bool) -> [PromiseStorage] { leave(ticket) }

    /// After a cancel, the outcomes so far are the result once the cleanups have ended.
    override func unfinished() -> Unfinished {
        let cleanup = super.unfinished().cleanup
        // This handler keeps the cleanup alive: nothing else may be waiting for it.
        if cleanup?.observe(.uncounted, { _ in self.finish() }) == nil { finish() }
        return Unfinished(cleanup: cleanup)
    }
}
