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
///   - elements: what to work through, one after another; it need not fit into memory, but all values are kept until
///     the end.
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
