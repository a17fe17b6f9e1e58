/// Waits for all promises in an array, and collects their values in the same order: of none, in an empty array.
///
/// - Rejects: With the first error, as soon as it occurs. The other promises continue, but their outcomes are ignored.
@inlinable public func when<V, U: Thenable<V>>(fulfilled thenables: [U]) -> Promise<[V]> {
    guard !thenables.isEmpty else { return .value([]) }
    let inputs = thenables.map(\._promise.storage)
    return _all(inputs) { inputs.map { $0.value() } }
}

/// Waits for all promises in an array that have no value; see the overload for promises with a value.
@_disfavoredOverload public func when<U: Thenable<Void>>(fulfilled thenables: [U]) -> Promise<Void> {
    thenables.isEmpty ? Promise() : _all(thenables.map(\._promise.storage)) {}
}

/// Waits until every promise in an array has settled, and collects their outcomes in the same order.
@inlinable public func when<V, U: Thenable<V>>(resolved thenables: [U]) -> Guarantee<[Result<V, any Error>]> {
    guard !thenables.isEmpty else { return .value([]) }
    let inputs = thenables.map(\._promise)
    return Guarantee(_unfailing: _all(inputs.map(\.storage), stopsAtError: false) { inputs.map(\._outcome) })
}

/// Waits until each of several promises has settled; see the overload that takes an array.
@inlinable public func when<V, U: Thenable<V>>(resolved thenables: U...) -> Guarantee<[Result<V, any Error>]> {
    when(resolved: thenables)
}

/// Waits for all guarantees in an array, and collects their values in the same order.
public func when<T: Sendable>(guarantees: [Guarantee<T>]) -> Guarantee<[T]> {
    Guarantee(_unfailing: when(fulfilled: guarantees))
}

/// Waits for all guarantees in an array that have no value.
public func when(guarantees: [Guarantee<Void>]) -> Guarantee<Void> {
    Guarantee(_unfailing: when(fulfilled: guarantees))
}

extension Thenable {
    /// Returns a guarantee for the outcome, so that a chain can continue with either a value or an error.
    @inlinable public func settled() -> Guarantee<Result<T, any Error>> {
        let promise = _promise
        return Guarantee(
            _unfailing: promise._chain(on: nil, flags: nil, .outcomes) { next in
                next.typed().fulfill(promise._outcome)
            })
    }
}

/// Returns a promise for the value that `result` returns once all of `inputs` are fulfilled or, unless it `stopsAtError`,
/// have settled.
@usableFromInline func _all<Value: Sendable>(
    _ inputs: [PromiseStorage], stopsAtError: Bool = true, result: @escaping () -> Value
) -> Promise<Value> {
    Join(inputs, until: { stopsAtError && $0.failure != nil }).output { output, input in
        if stopsAtError, let error = input.failure { return output.storage.reject(error) }
        output.storage.fulfill(result())
    }
}
