/// Works through a sequence a few promises at a time, and gives their values in its order.
///
/// ```swift
/// when(fulfilled: accounts, concurrently: 8) { account in fetch(account) }
/// ```
///
/// The error does not know which element it came from: say so with `mapError`, or gather outcomes with
/// `when(resolved:concurrently:)`, whose order is that of the elements.
///
/// ```swift
/// when(fulfilled: accounts, concurrently: 8) { account in
///     fetch(account).mapError { Failure(account: account.name, error: $0) }
/// }
/// ```
///
/// - Parameters:
///   - elements: what to work through, one after another; it need not end, nor fit into memory.
///   - limit: how many promises may be pending at a time.
///   - body: makes the promise for an element when there is room for it, on the default queue, so it should be
///     quick. What it throws counts as a rejection.
/// - Rejects: with the first error, after which no more promises are made; with ``PromiseError/badInput(_:)`` if
///   `limit` is less than 1.
/// - Cancellation: passes up to the promises under way, and makes no more.
public func when<Elements: Sequence & Sendable, U: Thenable>(
    fulfilled elements: Elements, concurrently limit: Int,
    _ body: @escaping @Sendable (Elements.Element) throws -> U
) -> Promise<[U.T]> {
    let promises = elements.lazy.map { element in firstly { try body(element) } }.makeIterator()
    return when(fulfilled: promises, concurrently: limit)
}

/// Works through a sequence a few promises at a time, and gives their outcomes in its order; see the form that stops
/// at the first error.
public func when<Elements: Sequence & Sendable, U: Thenable>(
    resolved elements: Elements, concurrently limit: Int,
    _ body: @escaping @Sendable (Elements.Element) throws -> U
) -> Guarantee<[Result<U.T, any Error>]> {
    let promises = elements.lazy.map { element in firstly { try body(element) } }.makeIterator()
    return when(resolved: promises, concurrently: limit)
}

/// Works through promises a few at a time, and gives their values in the order they were made.
///
/// - Parameters:
///   - promises: makes the next promise when there is room for it, on the default queue, so it should be quick. An
///     `AnyIterator` made of a closure must not be made on the main actor, to which the closure would belong: use the
///     form with a sequence there.
///   - limit: how many may be pending at a time.
/// - Rejects: with the first error, after which no more promises are made; with ``PromiseError/badInput(_:)`` if
///   `limit` is less than 1.
/// - Cancellation: passes up to the promises under way, and makes no more.
public func when<Source: IteratorProtocol>(
    fulfilled promises: sending Source, concurrently limit: Int
) -> Promise<[Source.Element.T]> where Source.Element: Thenable {
    guard limit > 0 else {
        return Promise(
            error: PromiseError.badInput("when was asked to run \(limit) promises at a time: it takes at least 1."))
    }
    var source = promises
    let output = Promise<[Source.Element.T]>(unsettled: ())
    Throttle({ source.next()?._promise }, limit: limit, output: output, stopsAtError: true) { outcomes in
        output._fulfill(outcomes.compactMap { try? $0.get() })
    }.begin()
    return output
}

/// Works through promises a few at a time, and gives their outcomes in the order they were made.
///
/// - Parameters:
///   - promises: makes the next promise when there is room for it, on the default queue, so it should be quick.
///   - limit: how many may be pending at a time, at least 1.
/// - Cancellation: passes up to the promises under way, and makes no more; the outcomes so far are the result.
public func when<Source: IteratorProtocol>(
    resolved promises: sending Source, concurrently limit: Int
) -> Guarantee<[Result<Source.Element.T, any Error>]> where Source.Element: Thenable {
    guard limit > 0 else {
        fatalError("Pledge: when was asked to run \(limit) promises at a time: it takes at least 1.")
    }
    var source = promises
    let output = Promise<[Result<Source.Element.T, any Error>]>(unsettled: ())
    let guarantee = Guarantee(_unfailing: output)
    Throttle({ source.next()?._promise }, limit: limit, output: output, stopsAtError: false) {
        output._fulfill($0)
    }.begin()
    return guarantee
}

/// Promises under way, a few at a time. They are made on the default queue, and counted in the threads that settle them.
private final class Throttle<Value: Sendable>: _LockedObject, @unchecked Sendable {
    // Unchecked: what changes is touched only under the lock.

    /// Makes the next promise; nil once there are no more. Only one block at a time calls it.
    private var next: (() -> Promise<Value>?)?
    private let limit: Int
    private let output: _PromiseStorage
    private let stopsAtError: Bool
    private let finish: ([Result<Value, any Error>]) -> Void
    private var outcomes: [Result<Value, any Error>?] = []
    private var underway: [Int: (promise: _PromiseStorage, ticket: UInt32?)] = [:]
    /// What becomes of promises that are no longer waited for, once that is so.
    private var abandon: ((_PromiseStorage) -> Void)?
    /// Is a block under way that makes promises?
    private var isFilling = true

    init(
        _ next: @escaping () -> Promise<Value>?, limit: Int, output: _PromiseStorage, stopsAtError: Bool,
        finish: @escaping ([Result<Value, any Error>]) -> Void
    ) {
        self.next = next
        self.limit = limit
        self.output = output
        self.stopsAtError = stopsAtError
        self.finish = finish
    }

    func begin() {
        output.onCancel { _ in
            self.stop { $0.cancelIfUnused() }
            self.finish(self.settled)
        }
        fillLater()
    }

    private func fillLater() {
        Guarantee().done(on: .pledge) { self.fill() }
    }

    private func fill() {
        // Only so many in one go, as there may be no end to those that are settled already.
        for _ in 0..<DefaultQueue.turn {
            guard let next = nextIfRoom() else { return }
            guard let promise = next() else {
                exhaust()
                continue
            }
            lock()
            if let abandon {
                unlock()
                abandon(promise)
                continue
            }
            let index = outcomes.count
            outcomes.append(nil)
            underway[index] = (promise, nil)
            unlock()
            let ticket = promise.observe { _ in self.settle(index, as: promise) }
            lock()
            let isLate = underway[index] == nil
            if !isLate { underway[index] = (promise, ticket) }
            let abandon = abandon
            unlock()
            // Stopped meanwhile.
            if isLate, let ticket, promise.release(ticket) { abandon?(promise) }
        }
        fillLater()
    }

    /// What makes another promise, if that is to happen now. If not, this block is over.
    private func nextIfRoom() -> (() -> Promise<Value>?)? {
        lock()
        let next = underway.count < limit ? next : nil
        isFilling = next != nil
        let all = self.next == nil && underway.isEmpty ? outcomes : nil
        unlock()
        if let all { finish(all.compactMap { $0 }) }
        return next
    }

    /// What it holds goes after the lock, as it is the caller's.
    private func exhaust() {
        lock()
        let next = next.take()
        unlock()
        withExtendedLifetime(next) {}
    }

    private func settle(_ index: Int, as promise: Promise<Value>) {
        if stopsAtError, let error = promise.failure {
            output._reject(error)
            return stop { $0.withState { $0.set(.observed) } }
        }
        lock()
        guard underway.removeValue(forKey: index) != nil else { return unlock() }
        outcomes[index] = promise._outcome
        let (isIdle, isExhausted) = (!isFilling, next == nil)
        isFilling = isFilling || !isExhausted
        unlock()
        guard isIdle else { return }
        if isExhausted { _ = nextIfRoom() } else { fillLater() }
    }

    private func stop(_ abandon: @escaping (_PromiseStorage) -> Void) {
        exhaust()
        lock()
        let left = underway
        underway = [:]
        self.abandon = self.abandon ?? abandon
        unlock()
        for case (let promise, let ticket?) in left.values where promise.release(ticket) { abandon(promise) }
    }

    private var settled: [Result<Value, any Error>] {
        lock()
        defer { unlock() }
        return outcomes.compactMap { $0 }
    }
}
