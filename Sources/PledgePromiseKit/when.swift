// PromiseKit's overloads of `when` that Pledge lacks, or that return a different type there.

/// Waits for promises of different types and returns their values in the same order.
///
/// - Rejects: With the first error, as soon as it occurs; the other promises continue and are ignored.
@_spi(PromiseKit) @_disfavoredOverload public func when(fulfilled thenables: [any Thenable]) -> Promise<[any Sendable]>
{
    // Disfavored, because a list of one type also matches a list of any types.
    func untyped<U: Thenable>(_ thenable: U) -> Promise<any Sendable> { thenable.map(on: nil) { $0 } }
    return when(fulfilled: thenables.map { untyped($0) })
}

/// Waits for several promises that have no value; see the form that takes a list.
@_spi(PromiseKit) @_disfavoredOverload public func when<U: Thenable<Void>>(fulfilled thenables: U...) -> Promise<Void> {
    // Disfavored, because two to seven promises could also form a tuple, which wins unless what follows takes no
    // values.
    when(fulfilled: thenables)
}

/// Waits for all promises in an array that have no value. Preferred to the overload for values, as in PromiseKit.
@_spi(PromiseKit) public func when<U: Thenable<Void>>(fulfilled thenables: [U]) -> Promise<Void> {
    Pledge.when(fulfilled: thenables).asVoid()
}

/// Waits until every promise in a list has settled and returns their outcomes in the same order.
@_spi(PromiseKit) public func when<T>(resolved promises: [Promise<T>]) -> Guarantee<[Result<T>]> {
    translated(when(resolved: promises.map(Pending.init)))
}

/// Waits until every promise has settled and returns their outcomes in the same order; see the form that takes a list.
@_spi(PromiseKit) public func when<T>(resolved promises: Promise<T>...) -> Guarantee<[Result<T>]> {
    when(resolved: promises)
}

/// Runs a limited number of promises at a time and returns their outcomes in the order of creation.
///
/// - Parameters:
///   - promises: Creates the next promise when there is room for it, on Pledge's default queue, so it should be quick.
///   - limit: The maximum number of pending promises. If it is less than one, the result is a single
///     ``PMKError/badInput``, and no promise is created.
/// - Cancellation: Cancels the pending promises and creates no more; the outcomes so far are the result.
@_spi(PromiseKit) public func when<Source: IteratorProtocol, T>(
    resolved promises: sending Source, concurrently limit: Int
) -> Guarantee<[Result<T>]> where Source.Element == Promise<T> {
    guard limit > 0 else { return .value([.rejected(PMKError.badInput)]) }
    return translated(when(resolved: Wrapping(source: promises), concurrently: limit))
}

/// Waits for guarantees of one type and returns their values as a list.
@_spi(PromiseKit) public func when<T>(_ guarantees: Guarantee<T>...) -> Guarantee<[T]> { when(guarantees: guarantees) }

/// Waits for guarantees that have no value.
@_spi(PromiseKit) public func when(_ guarantees: Guarantee<Void>...) -> Guarantee<Void> { when(guarantees: guarantees) }

private func translated<T>(_ outcomes: Guarantee<[Swift.Result<T, any Error>]>) -> Guarantee<[Result<T>]> {
    outcomes.map(on: nil) { $0.map(Result.init) }
}

/// A wrapper around a promise, for which only Pledge's `when(resolved:)` exists.
private struct Pending<T: Sendable>: Thenable {
    let promise: Promise<T>
    subscript(_promise _: Void) -> Promise<T> { promise }
}

/// The equivalent for an iterator of promises.
private struct Wrapping<Source: IteratorProtocol, T: Sendable>: IteratorProtocol where Source.Element == Promise<T> {
    var source: Source
    mutating func next() -> Pending<T>? { source.next().map(Pending.init) }
}
