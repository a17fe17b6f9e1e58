/// Waits for the first of several promises to settle, and settles in the same way. The other promises continue, but
/// their outcomes are ignored.
///
/// - Rejects: With the error of the promise that settles first, or with ``PromiseError/badInput(_:)`` if the array is
///   empty.
public func race<V, U: Thenable<V>>(_ thenables: [U]) -> Promise<V> {
    guard !thenables.isEmpty else { return Promise(error: noPromises) }
    return Join(thenables.map { $0._promise.storage }, until: { _ in true }).output { (output: Promise<V>, winner) in
        output.storage.settle(as: Promise(winner.typed(V.self))._outcome)
    }
}

/// Waits for the first of several promises to settle; see the overload that takes an array.
public func race<V, U: Thenable<V>>(_ thenables: U...) -> Promise<V> { race(thenables) }

/// Waits for the first of one or more guarantees to be fulfilled.
public func race<T: Sendable>(_ first: Guarantee<T>, _ others: Guarantee<T>...) -> Guarantee<T> {
    Guarantee(_unfailing: race([first] + others))
}

/// Waits for the first of several promises to be fulfilled, and is fulfilled with the same value. The other promises
/// continue, but their outcomes are ignored.
///
/// - Rejects: With ``PromiseError/noWinner(_:)`` if all promises reject, or with ``PromiseError/cancelled`` if all of
///   them were canceled. If the array is empty, the error is ``PromiseError/badInput(_:)``.
public func race<V, U: Thenable<V>>(fulfilled thenables: [U]) -> Promise<V> {
    guard !thenables.isEmpty else { return Promise(error: noPromises) }
    let inputs = thenables.map { $0._promise.storage }
    return Join(inputs, until: { $0.failure == nil }).output { (output: Promise<V>, winner) in
        guard winner.failure != nil else { return output.storage.fulfill(Promise(winner.typed(V.self))._value) }
        // If one of the promises was returned by another `race(fulfilled:)`, its error may be a `noWinner`. Then the
        // errors in that `noWinner` are used, and not the `noWinner` itself. Otherwise, nested races would produce
        // errors inside errors.
        let errors = inputs.compactMap(\.failure).flatMap { error in
            if case PromiseError.noWinner(let errors) = error { errors } else { [error] }
        }
        output.storage.reject(errors.allSatisfy(\.isCancelled) ? PromiseError.cancelled : .noWinner(errors))
    }
}

/// Waits for the first of several promises to be fulfilled; see the overload that takes an array.
public func race<V, U: Thenable<V>>(fulfilled thenables: U...) -> Promise<V> { race(fulfilled: thenables) }

private let noPromises = PromiseError.badInput("race was given no promises, so none can ever win.")
