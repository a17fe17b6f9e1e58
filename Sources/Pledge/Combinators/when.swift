/// Waits for all promises of a list, and gives their values in the same order.
///
/// - Parameters:
///   - thenables: the promises; with none, the result is an empty list.
/// - Rejects: with the first error, as soon as it is there; the other promises go on, unheeded.
/// - Cancellation: passes up to every promise that nobody else waits for.
@inlinable
public func when<U: Thenable>(fulfilled thenables: [U]) -> Promise<[U.T]> {
    guard !thenables.isEmpty else { return .value([]) }
    let output = Promise<[U.T]>(role: [])
    Gather.all(thenables.map { $0._promise }, into: output) { inputs in
        output._fulfill(inputs.map { unsafeDowncast($0, to: Promise<U.T>.self).fulfilledValue })
    }
    return output
}

/// Waits for all promises that have no value of interest.
///
/// - Parameters:
///   - thenables: the promises.
/// - Rejects: with the first error, as soon as it is there; the other promises go on, unheeded.
/// - Cancellation: passes up to every promise that nobody else waits for.
@_disfavoredOverload
public func when<U: Thenable>(fulfilled thenables: U...) -> Promise<Void> where U.T == Void {
    // Disfavored, because two to seven promises could make a tuple as well: that form wins, unless what follows wants
    // no values.
    when(fulfilled: thenables)
}

/// Waits for all promises of a list that have no value of interest; see the form with several arguments.
public func when<U: Thenable>(fulfilled thenables: [U]) -> Promise<Void> where U.T == Void {
    guard !thenables.isEmpty else { return Promise() }
    let output = Promise<Void>(role: [])
    Gather.all(thenables.map(\._promise), into: output) { _ in output._fulfill(()) }
    return output
}

/// Waits until every promise of a list has settled, one way or the other, and gives their outcomes in the same order.
///
/// - Parameters:
///   - thenables: the promises; with none, the result is an empty list.
/// - Cancellation: passes up to every promise that nobody else waits for.
public func when<U: Thenable>(resolved thenables: [U]) -> Guarantee<[Result<U.T, any Error>]> {
    guard !thenables.isEmpty else { return .value([]) }
    let inputs = thenables.map(\._promise)
    let output = Promise<[Result<U.T, any Error>]>(role: [])
    let guarantee = Guarantee(_unfailing: output)
    Gather.settled(inputs, into: output) {
        output._fulfill(inputs.compactMap(\.result))
    }
    return guarantee
}

/// Waits until every promise has settled, one way or the other; see the form that takes a list.
public func when<U: Thenable>(resolved thenables: U...) -> Guarantee<[Result<U.T, any Error>]> {
    when(resolved: thenables)
}

/// Waits for all guarantees of a list, and gives their values in the same order.
///
/// - Parameters:
///   - guarantees: the guarantees; with none, the result is an empty list.
public func when<T: Sendable>(guarantees: [Guarantee<T>]) -> Guarantee<[T]> {
    Guarantee(_unfailing: when(fulfilled: guarantees))
}

/// Waits for all guarantees, and gives their values in the same order.
public func when<T: Sendable>(guarantees: Guarantee<T>...) -> Guarantee<[T]> {
    when(guarantees: guarantees)
}

/// Waits for all guarantees that have no value of interest.
public func when(guarantees: Guarantee<Void>...) -> Guarantee<Void> {
    when(guarantees: guarantees)
}

/// Waits for all guarantees of a list that have no value of interest.
public func when(guarantees: [Guarantee<Void>]) -> Guarantee<Void> {
    Guarantee(_unfailing: when(fulfilled: guarantees))
}

extension Thenable {
    /// The outcome as a value, so that a chain can go on with either.
    ///
    /// - Cancellation: passes up to this promise.
    @inlinable
    public func settled() -> Guarantee<Result<T, any Error>> {
        let next = Promise<Result<T, any Error>>(role: [.values, .rejections, .plumbing]) { handler, source in
            unsafeDowncast(handler, to: Promise<Result<T, any Error>>.self)
                ._fulfill(unsafeDowncast(source, to: Promise<T>.self).outcome)
        }
        let guarantee = Guarantee(_unfailing: next)
        _promise._register(next)
        return guarantee
    }
}
