/// Creates promises from a sequence, a limited number at a time, and collects their values in the elements' order.
///
/// ```swift
/// when(fulfilled: accounts, concurrently: 8) { account in fetch(account) }
/// ```
///
/// An error doesn't indicate which element it belongs to. Add that with `mapError`, or collect outcomes with
/// `when(resolved:concurrently:)`, which are in the order of the elements.
///
/// ```swift
/// when(fulfilled: accounts, concurrently: 8) { account in
///     fetch(account).mapError { Failure(account: account.name, error: $0) }
/// }
/// ```
///
/// - Parameters:
///   - elements: Read one after another, they need not fit into memory, but all values are kept until the end.
///   - limit: The maximum number of promises pending at a time.
///   - body: A closure that returns the promise for an element when there is room for it. It runs on the default queue,
///     so it should be quick. An error it throws counts as a rejection.
/// - Rejects: With the first error, after which no more promises are created; with ``PromiseError/badInput(_:)`` if
///   `limit` is less than 1.
/// - Cancellation: Propagates to the pending promises. No more are created.
@inlinable public func when<Elements: Sequence & Sendable, V, U: Thenable<V>>(
    fulfilled elements: Elements, concurrently limit: Int,
    _ body: @escaping @Sendable (Elements.Element) throws -> U
) -> Promise<[V]> {
    when(fulfilled: elements.lazy.map { element in firstly { try body(element) } }.makeIterator(), concurrently: limit)
}

/// Creates promises from a sequence, a limited number at a time, and collects their outcomes in the elements' order;
/// see the overload that stops at the first error.
@inlinable public func when<Elements: Sequence & Sendable, V, U: Thenable<V>>(
    resolved elements: Elements, concurrently limit: Int,
    _ body: @escaping @Sendable (Elements.Element) throws -> U
) -> Guarantee<[Result<V, any Error>]> {
    when(resolved: elements.lazy.map { element in firstly { try body(element) } }.makeIterator(), concurrently: limit)
}

/// Waits for the promises that an iterator creates, a limited number at a time; see the overload for sequences.
///
/// An `AnyIterator` must not be created from a closure on the main actor, to which the closure would be isolated: use
/// that overload there.
@inlinable public func when<Source: IteratorProtocol>(
    fulfilled promises: sending Source, concurrently limit: Int
) -> Promise<[Source.Element.T]> where Source.Element: Thenable {
    guard limit > 0 else {
        return Promise(
            error: PromiseError.badInput("when cannot run \(limit) promises at a time: the minimum is 1."))
    }
    return _throttle(promises, limit: limit, stopsAtError: true) { $0.compactMap { try? $0.get() } }
}

/// Waits for the promises that an iterator creates, a limited number at a time; see the overload for sequences. A limit
/// of less than 1 counts as 1, because a guarantee can't reject.
///
/// - Cancellation: Propagates to the pending promises. No more are created, and the result is the outcomes so far.
@inlinable public func when<Source: IteratorProtocol>(
    resolved promises: sending Source, concurrently limit: Int
) -> Guarantee<[Result<Source.Element.T, any Error>]> where Source.Element: Thenable {
    Guarantee(_unfailing: _throttle(promises, limit: max(limit, 1), stopsAtError: false) { $0 })
}

@inlinable func _throttle<Source: IteratorProtocol, Value: Sendable>(
    _ promises: sending Source, limit: Int, stopsAtError: Bool,
    result: @escaping ([Result<Source.Element.T, any Error>]) -> Value
) -> Promise<Value> where Source.Element: Thenable {
    let output = Promise<Value>(unsettled: ())
    var source = promises
    // Used by the two closures below: by the first under a lock, and by the second once that is no longer called.
    var outcomes: [Result<Source.Element.T, any Error>?] = []
    let next = { source.next()?._promise.storage }
    _ = Throttle(next, limit: limit, output: output.storage, stopsAtError: stopsAtError) {
        _keep(Promise<Source.Element.T>($1.typed())._outcome, at: $0, in: &outcomes)
    } finish: {
        output.storage.fulfill(result(outcomes.compactMap { $0 }))
    }
    return output
}

/// A function, so that exclusive access to the array is checked once a promise.
@inlinable func _keep<Outcome>(_ outcome: Outcome, at index: Int, in outcomes: inout [Outcome?]) {
    while outcomes.count <= index { outcomes.append(nil) }
    outcomes[index] = outcome
}

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
        output.withState { $0.setSource(self) }
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
            if isStopped { Self.unsubscribe([(promise, ticket)], for: output) }
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
            return Self.unsubscribe(waited, for: output)
        }
        lock()
        guard underway.change(number, { _ in nil }) != nil else { return unlock() }
        if !output.isCancelled { keep(Int(number) - 1, promise) }
        let isIdle = !isFilling
        let isExhausted = next == nil
        isFilling = true
        unlock()
        if isIdle { isExhausted ? fill() : fillLater() }
    }

    private var waited: [(PromiseStorage, Ticket)] { locked { underway.all.compactMap(\.promise) } }

    override var promises: [PromiseStorage] { waited.map(\.0) }

    override func unsubscribe(_ ticket: Ticket) -> [PromiseStorage] {
        exhaust()
        return Self.unsubscribe(waited)
    }

    /// A canceled guarantee stops waiting, too: its value is the outcomes so far.
    override func uncount(_ ticket: Ticket, holds: Bool) -> [PromiseStorage] { unsubscribe(ticket) }

    /// After a cancel, the outcomes so far are the result once the cleanups have ended.
    override func unfinished() -> Unfinished {
        let cleanup = super.unfinished().cleanup
        // This handler keeps the cleanup alive: nothing else may be waiting for it.
        if cleanup?.observe(.uncounted, { _ in self.finish() }) == nil { finish() }
        return Unfinished(cleanup: cleanup)
    }
}
