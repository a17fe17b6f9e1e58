// Overloads of `when` that PromiseKit has and Pledge doesn't, or that return a different type in Pledge.

/// Waits for promises whose values are of different types, and collects the values in the same order.
///
/// - Rejects: With the first error, as soon as it occurs. The other promises continue, but their outcomes are ignored.
@_spi(PromiseKit) @_disfavoredOverload public func when(fulfilled thenables: [any Thenable]) -> Promise<[any Sendable]>
{
    // This overload is disfavored, because an array of promises of a single type matches it, too.
    func untyped<U: Thenable>(_ thenable: U) -> Promise<any Sendable> { thenable.map(on: nil) { $0 } }
    return when(fulfilled: thenables.map { untyped($0) })
}

/// Waits for several promises that have no value; see the overload that takes an array.
@_spi(PromiseKit) @_disfavoredOverload public func when<U: Thenable<Void>>(fulfilled thenables: U...) -> Promise<Void> {
    // This overload is disfavored, because there are also overloads that combine the values of several promises in a
    // tuple. The compiler prefers those, unless the code that follows takes no values.
    when(fulfilled: thenables)
}

/// Waits for all promises in an array of promises without a value. As in PromiseKit, the compiler prefers this overload
/// to the one that collects values.
@_spi(PromiseKit) public func when<U: Thenable<Void>>(fulfilled thenables: [U]) -> Promise<Void> {
    Pledge.when(fulfilled: thenables).asVoid()
}

/// Waits until every promise in an array has settled, and collects their outcomes in the same order.
@_spi(PromiseKit) public func when<T>(resolved promises: [Promise<T>]) -> Guarantee<[Result<T>]> {
    translated(Pledge.when(resolved: promises))
}

/// Waits until each of these promises has settled, and collects their outcomes in the same order.
@_spi(PromiseKit) public func when<T>(resolved promises: Promise<T>...) -> Guarantee<[Result<T>]> {
    when(resolved: promises)
}

/// Waits for the promises that an iterator creates, with a limited number of pending promises at a time, and collects
/// their outcomes in the order in which the promises were created.
///
/// - Parameters:
///   - promises: The iterator that creates the promises. It is called on Pledge's default queue, when fewer promises
///     are pending than the limit allows. So it should be quick.
///   - limit: The maximum number of promises that are pending at a time. If it is less than 1, no promise is created,
///     and the result is a single ``PMKError/badInput``.
/// - Cancellation: Propagates to the pending promises. No more promises are created, and the result is the outcomes so
///   far.
@_spi(PromiseKit) public func when<Source: IteratorProtocol, T>(
    resolved promises: sending Source, concurrently limit: Int
) -> Guarantee<[Result<T>]> where Source.Element == Promise<T> {
    guard limit > 0 else { return .value([.rejected(PMKError.badInput)]) }
    return translated(Pledge.when(resolved: promises, concurrently: limit))
}

/// Waits for several guarantees of the same type, and collects their values in an array, in the same order.
@_spi(PromiseKit) public func when<T>(_ guarantees: Guarantee<T>...) -> Guarantee<[T]> { when(guarantees: guarantees) }

/// Waits for several guarantees that have no value.
@_spi(PromiseKit) public func when(_ guarantees: Guarantee<Void>...) -> Guarantee<Void> { when(guarantees: guarantees) }

private func translated<T>(_ outcomes: Guarantee<[Swift.Result<T, any Error>]>) -> Guarantee<[Result<T>]> {
    outcomes.map(on: nil) { $0.map(Result.init) }
}
