/// Settles as the first of several promises does.
///
/// - Parameters:
///   - thenables: the promises, at least one. Those that lose go on, unheeded.
/// - Rejects: with the error of the first to settle; with ``PromiseError/badInput(_:)`` if there are none.
/// - Cancellation: passes up to every promise that nobody else waits for.
public func race<U: Thenable>(_ thenables: [U]) -> Promise<U.T> {
    guard !thenables.isEmpty else {
        return Promise(error: PromiseError.badInput("race was given no promises, so none can ever win."))
    }
    return Join(thenables.map { $0._promise }, until: { _ in true }).output { (output: Promise<U.T>, winner) in
        output._settle(as: winner._as(Promise<U.T>.self)._outcome)
    }
}

/// Settles as the first of several promises does; see the form that takes a list.
public func race<U: Thenable>(_ thenables: U...) -> Promise<U.T> {
    race(thenables)
}

/// Settles as the first of several guarantees does, of which there is at least one.
public func race<T: Sendable>(_ first: Guarantee<T>, _ others: Guarantee<T>...) -> Guarantee<T> {
    Guarantee(_unfailing: race([first] + others))
}

/// The value of the first of several promises to be fulfilled.
///
/// - Parameters:
///   - thenables: the promises, at least one. Those that lose go on, unheeded.
/// - Rejects: with ``PromiseError/noWinner`` if all reject; with ``PromiseError/badInput(_:)`` if there are none.
/// - Cancellation: passes up to every promise that nobody else waits for.
public func race<U: Thenable>(fulfilled thenables: [U]) -> Promise<U.T> {
    guard !thenables.isEmpty else {
        return Promise(error: PromiseError.badInput("race was given no promises, so none can ever win."))
    }
    return Join(thenables.map { $0._promise }, until: { $0.failure == nil }).output { (output: Promise<U.T>, winner) in
        guard winner.failure == nil else { return output._reject(PromiseError.noWinner) }
        output._fulfill(winner._as(Promise<U.T>.self)._value)
    }
}

/// The value of the first of several promises to be fulfilled; see the form that takes a list.
public func race<U: Thenable>(fulfilled thenables: U...) -> Promise<U.T> {
    race(fulfilled: thenables)
}
