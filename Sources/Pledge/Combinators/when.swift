/// Waits for all promises of a list, and gives their values in the same order.
///
/// - Parameters:
///   - thenables: the promises; with none, the result is an empty list.
/// - Rejects: with the first error, as soon as it is there; the other promises go on, unheeded.
/// - Cancellation: passes up to every promise that nobody else waits for.
@inlinable public func when<U: Thenable>(fulfilled thenables: [U]) -> Promise<[U.T]> {
    guard !thenables.isEmpty else { return .value([]) }
    let inputs = thenables.map(\._promise)
    return _all(inputs) { inputs.map(\._value) }
}

/// Waits for all promises that have no value of interest.
///
/// - Parameters:
///   - thenables: the promises.
/// - Rejects: with the first error, as soon as it is there; the other promises go on, unheeded.
/// - Cancellation: passes up to every promise that nobody else waits for.
@_disfavoredOverload public func when<U: Thenable>(fulfilled thenables: U...) -> Promise<Void> where U.T == Void {
    // Disfavored, because two to seven promises could make a tuple as well: that form wins, unless what follows wants
    // no values.
    when(fulfilled: thenables)
}

/// Waits for all promises of a list that have no value of interest; see the form with several arguments.
public func when<U: Thenable>(fulfilled thenables: [U]) -> Promise<Void> where U.T == Void {
    thenables.isEmpty ? Promise() : _all(thenables.map(\._promise)) {}
}

/// Waits until every promise of a list has settled, one way or the other, and gives their outcomes in the same order.
///
/// - Parameters:
///   - thenables: the promises; with none, the result is an empty list.
/// - Cancellation: passes up to every promise that nobody else waits for.
public func when<U: Thenable>(resolved thenables: [U]) -> Guarantee<[Result<U.T, any Error>]> {
    guard !thenables.isEmpty else { return .value([]) }
    let inputs = thenables.map(\._promise)
    return Guarantee(
        _unfailing: Join(inputs, until: { _ in false }).output { output, _ in
            output._fulfill(inputs.map(\._outcome))
        })
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
    @inlinable public func settled() -> Guarantee<Result<T, any Error>> {
        let promise = _promise
        return Guarantee(
            _unfailing: promise._chain(on: nil, flags: nil, .outcomes) { next in
                next._as(Promise<Result<T, any Error>>.self)._fulfill(promise._outcome)
            })
    }
}

/// A promise of what `result` makes of the values once all of `inputs` are fulfilled.
@usableFromInline
func _all<Value: Sendable>(_ inputs: [_PromiseStorage], result: @escaping () -> Value) -> Promise<Value> {
    Join(inputs, until: { $0.failure != nil }, speaksForAll: true).output { output, input in
        if let error = input.failure { output._reject(error) } else { output._fulfill(result()) }
    }
}
