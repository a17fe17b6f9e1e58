/// Creates a promise from each element of a sequence, with a limited number of pending promises at a time, and collects
/// their values in the order of the elements.
///
/// ```swift
/// when(fulfilled: accounts, concurrently: 8) { account in fetch(account) }
/// ```
///
/// An error doesn't say which element it belongs to. You can add the element to the error with `mapError`, as in the
/// example below. Or you can collect the outcomes with `when(resolved:concurrently:)`, which returns them in the order
/// of the elements.
///
/// ```swift
/// when(fulfilled: accounts, concurrently: 8) { account in
///     fetch(account).mapError { Failure(account: account.name, error: $0) }
/// }
/// ```
///
/// - Parameters:
///   - elements: The elements. They are read one after another, so they don't have to fit into memory. All values,
///     however, are kept until the end.
///   - limit: The maximum number of promises that are pending at a time.
///   - body: A closure that returns the promise for an element. It is called when fewer promises are pending than the
///     limit allows. It runs on the default queue, so it should be quick. If it throws an error, that counts as a
///     rejection.
/// - Rejects: With the first error, after which no more promises are created. If `limit` is less than 1, the error is
///   ``PromiseError/badInput(_:)``.
/// - Cancellation: Propagates to the pending promises. No more promises are created.
@inlinable public func when<Elements: Sequence & Sendable, V, U: Thenable<V>>(
    fulfilled elements: Elements, concurrently limit: Int,
    _ body: @escaping @Sendable (Elements.Element) throws -> U
) -> Promise<[V]> {
    when(fulfilled: elements.lazy.map { element in firstly { try body(element) } }.makeIterator(), concurrently: limit)
}

/// Creates a promise from each element of a sequence, with a limited number of pending promises at a time, and collects
/// their outcomes in the order of the elements. After an error, it continues with the next element. The overload that
/// stops at the first error describes the parameters.
///
/// - Cancellation: Propagates to the pending promises. No more promises are created, and the result is the outcomes so
///   far.
@inlinable public func when<Elements: Sequence & Sendable, V, U: Thenable<V>>(
    resolved elements: Elements, concurrently limit: Int,
    _ body: @escaping @Sendable (Elements.Element) throws -> U
) -> Guarantee<[Result<V, any Error>]> {
    when(resolved: elements.lazy.map { element in firstly { try body(element) } }.makeIterator(), concurrently: limit)
}

/// Waits for the promises that an iterator creates, with a limited number of pending promises at a time; see the
/// overload for sequences.
///
/// In code on the main actor, use that overload instead of an `AnyIterator` with a closure. The closure would be
/// isolated to the main actor, but would be called on the default queue.
@inlinable public func when<Source: IteratorProtocol>(
    fulfilled promises: sending Source, concurrently limit: Int
) -> Promise<[Source.Element.T]> where Source.Element: Thenable {
    guard limit > 0 else {
        return Promise(
            error: PromiseError.badInput("when cannot run \(limit) promises at a time: the minimum is 1."))
    }
    return _throttle(promises, limit: limit, stopsAtError: true) { $0.compactMap { try? $0.get() } }
}

/// Waits for the promises that an iterator creates, with a limited number of pending promises at a time, and collects
/// their outcomes; see the overload for sequences. If `limit` is less than 1, it counts as 1, because a guarantee can't
/// reject.
///
/// - Cancellation: Propagates to the pending promises. No more promises are created, and the result is the outcomes so
///   far.
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
    // Both closures below use this variable. The first closure is called under a lock. The second one is called only
    // after the last call of the first.
    var outcomes: [Result<Source.Element.T, any Error>?] = []
    let next = { source.next()?._promise.storage }
    _ = Throttle(next, limit: limit, output: output.storage, stopsAtError: stopsAtError) {
        _keep(Promise<Source.Element.T>($1.typed())._outcome, at: $0, in: &outcomes)
    } finish: {
        output.storage.fulfill(result(outcomes.compactMap { $0 }))
    }
    return output
}

/// Keeps the outcome of the promise with this number. This is a separate function, so that exclusive access to the
/// array is checked only once for each promise.
@inlinable func _keep<Outcome>(_ outcome: Outcome, at index: Int, in outcomes: inout [Outcome?]) {
    while outcomes.count <= index { outcomes.append(nil) }
    outcomes[index] = outcome
}

/// Waits for many promises, with a limited number pending at a time. It creates them on the default queue, and counts
/// them on the threads that settle them.
///
/// Like ``PromiseStorage``, this class isn't generic. Generic code would look up types at run time, which would take
/// two thirds of the time that a promise needs.
@usableFromInline final class Throttle: Upstream, @unchecked Sendable {
    // Unchecked: mutable state is only accessed under the lock. The lock also guarantees exclusive access, so
    // exclusivity isn't checked. The check would cost 6 % of the time that a promise needs.

    /// A closure that returns the next promise, or nil after the last promise. Only one block at a time calls it. The
    /// property is nil if no more promises are to be created.
    @exclusivity(unchecked) private var next: (() -> PromiseStorage?)?
    private let limit: Int
    private let output: PromiseStorage
    private let stopsAtError: Bool
    /// Keeps the outcome of a promise. The first argument is the promise's number, starting from 0. Called under the
    /// lock.
    private let keep: (Int, PromiseStorage) -> Void
    /// Fulfills the output. The property is nil once that has begun.
    @exclusivity(unchecked) private var finish: (() -> Void)?
    @exclusivity(unchecked) private var underway = HandlerList<Slot>()
    /// Whether a block that creates promises is running, or will run.
    @exclusivity(unchecked) private var isFilling = true

    /// An entry for a promise that is pending, with the ticket of its handler. It is empty while the promise is being
    /// created.
    private struct Slot: Waiting {
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
        // A block creates a limited number of promises. Otherwise, it would never end if the iterator is endless and
        // its promises have already settled.
        for _ in 0..<DefaultQueue.turn {
            guard let (next, number) = reserveSlot() else { return }
            guard let promise = next() else {
                exhaust()
                locked { _ = underway.change(number) { _ in nil } }
                return finishIfOver()
            }
            let ticket = promise.observe { self.settle(number, $0) }
            guard let ticket else { continue }
            let isStopped = locked {
                _ = underway.change(number) { _ in Slot(promise: (promise, ticket)) }
                return self.next == nil
            }
            if isStopped { Self.unsubscribe([(promise, ticket)], for: output) }
        }
        fillLater()
    }

    /// Reserves a slot for the next promise. Returns the closure that creates this promise, and the promise's number.
    /// Returns nil if the limit is reached, or if no more promises are to be created. The block that creates promises
    /// then ends.
    private func reserveSlot() -> (next: () -> PromiseStorage?, number: Ticket)? {
        locked {
            let slot = underway.count < limit ? next.map { ($0, underway.append(Slot())) } : nil
            isFilling = slot != nil
            return slot
        }
    }

    /// Fulfills the output if no more promises are to be created, and none is pending.
    private func finishIfOver() {
        if locked({ next == nil && underway.count == 0 && !output.isCancelled }) { fulfillOutput() }
    }

    private func fulfillOutput() { locked { finish.take() }?() }

    /// Stops the creation of promises. The closure that creates them belongs to the caller, so it is released after
    /// unlocking.
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
        let isExhausted = next == nil
        let isIdle = !isExhausted && !isFilling
        if isIdle { isFilling = true }
        unlock()
        if isIdle { fillLater() } else if isExhausted { finishIfOver() }
    }

    private var waited: [(PromiseStorage, Ticket)] { locked { underway.all.compactMap(\.promise) } }

    override var promises: [PromiseStorage] { waited.map(\.0) }

    override func unsubscribe(_ ticket: Ticket) -> [PromiseStorage] {
        exhaust()
        return Self.unsubscribe(waited)
    }

    /// Stops waiting, even if the output is a guarantee. After a cancel, the value of such a guarantee is the outcomes
    /// so far.
    override func uncount(_ ticket: Ticket, holds: Bool) -> [PromiseStorage] { unsubscribe(ticket) }

    /// After a cancel, the result is the outcomes so far. So it doesn't matter whether some promises continue.
    override func unfinished() -> Unfinished { Unfinished(cleanup: super.unfinished().cleanup) }

    override func endCanceled(after cleanup: PromiseStorage?) {
        guard let cleanup else { return fulfillOutput() }
        // The handler keeps the cleanup alive, because nothing else may be waiting for the cleanup.
        cleanup.observe(.uncounted) { _ in self.fulfillOutput() }
    }
}
