// PromiseKit's forms of `when` that Pledge has not, or that give something else there.

/// Waits for promises of different types, and gives their values in the same order.
///
/// - Parameters:
///   - thenables: the promises; with none, the result is an empty list.
/// - Rejects: with the first error, as soon as it is there; the other promises go on, unheeded.
/// - Cancellation: passes up to every promise that nobody else waits for.
@_disfavoredOverload
public func when(fulfilled thenables: [any Thenable]) -> Promise<[any Sendable]> {
    // Disfavored, because a list of one type would count as one of any types.
    func untyped<U: Thenable>(_ thenable: U) -> Promise<any Sendable> { thenable.map(on: nil) { $0 } }
    return when(fulfilled: thenables.map { untyped($0) })
}

/// Waits until every promise of a list has settled, and gives their outcomes in the same order.
///
/// - Parameters:
///   - promises: the promises; with none, the result is an empty list.
/// - Cancellation: passes up to every promise that nobody else waits for.
public func when<T>(resolved promises: [Promise<T>]) -> Guarantee<[Result<T>]> {
    translated(when(resolved: promises.map { Pending(_promise: $0) }))
}

/// Waits until every promise has settled, and gives their outcomes in the same order; see the form that takes a list.
public func when<T>(resolved promises: Promise<T>...) -> Guarantee<[Result<T>]> { when(resolved: promises) }

/// Works through promises a few at a time, and gives their outcomes in the order they were made.
///
/// - Parameters:
///   - promises: makes the next promise when there is room for it, on Pledge's default queue, so it should be quick.
///   - limit: how many may be pending at a time; for less than one the result is a ``PMKError/badInput``, and nothing
///     is made.
/// - Cancellation: passes up to the promises under way, and makes no more; the outcomes so far are the result.
public func when<Source: IteratorProtocol, T>(
    resolved promises: sending Source, concurrently limit: Int
) -> Guarantee<[Result<T>]> where Source.Element == Promise<T> {
    guard limit > 0 else { return .value([.rejected(PMKError.badInput)]) }
    return translated(when(resolved: Wrapping(source: promises), concurrently: limit))
}

/// Waits for guarantees of one type, and gives their values as a list.
public func when<T>(_ guarantees: Guarantee<T>...) -> Guarantee<[T]> { when(guarantees: guarantees) }

/// Waits for guarantees that have no value of interest.
public func when(_ guarantees: Guarantee<Void>...) -> Guarantee<Void> { when(guarantees: guarantees) }

/// Waits for two guarantees, and gives their values as one tuple.
public func when<A, B>(guarantees a: Guarantee<A>, _ b: Guarantee<B>) -> Guarantee<(A, B)> { when(a, b) }

/// Waits for three guarantees, and gives their values as one tuple.
public func when<A, B, C>(
    guarantees a: Guarantee<A>, _ b: Guarantee<B>, _ c: Guarantee<C>
) -> Guarantee<(A, B, C)> { when(a, b, c) }

/// Waits for four guarantees, and gives their values as one tuple.
public func when<A, B, C, D>(
    guarantees a: Guarantee<A>, _ b: Guarantee<B>, _ c: Guarantee<C>, _ d: Guarantee<D>
) -> Guarantee<(A, B, C, D)> { when(a, b, c, d) }

/// Waits for five guarantees, and gives their values as one tuple.
public func when<A, B, C, D, E>(
    guarantees a: Guarantee<A>, _ b: Guarantee<B>, _ c: Guarantee<C>, _ d: Guarantee<D>, _ e: Guarantee<E>
) -> Guarantee<(A, B, C, D, E)> { when(a, b, c, d, e) }

private func translated<T>(_ outcomes: Guarantee<[Swift.Result<T, any Error>]>) -> Guarantee<[Result<T>]> {
    outcomes.map(on: nil) { $0.map(Result.init) }
}

/// A promise as a type of its own, for which only Pledge has a `when(resolved:)`.
private struct Pending<T: Sendable>: Thenable { let _promise: Promise<T> }

/// Likewise for what makes promises.
private struct Wrapping<Source: IteratorProtocol, T: Sendable>: IteratorProtocol where Source.Element == Promise<T> {
    var source: Source
    mutating func next() -> Pending<T>? { source.next().map(Pending.init) }
}
