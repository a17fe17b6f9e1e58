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
