/// Waits for promises of different types, and gives their values as one tuple.
///
/// One function for each number of promises from two to seven: with a function over a parameter pack, a closure that
/// names the parts (`{ profile, averages in … }`) does not type-check.
@usableFromInline
func _when<T>(_ inputs: [_AnyPromise], tuple: @escaping () -> T) -> Promise<T> {
    let output = Promise<T>(role: [])
    Gather.all(inputs, into: output) { _ in output._fulfill(tuple()) }
    return output
}

/// Waits for two promises of different types, and gives their values as one tuple.
///
/// - Parameters:
///   - a: a promise.
///   - b: another.
/// - Rejects: with the first error, as soon as it is there; the other promises go on, unheeded.
/// - Cancellation: passes up to every promise that nobody else waits for.
@inlinable
public func when<A: Thenable, B: Thenable>(
    fulfilled a: A, _ b: B
) -> Promise<(A.T, B.T)> {
    let (a, b) = (a._promise, b._promise)
    return _when([a, b]) { (a.fulfilledValue, b.fulfilledValue) }
}

/// Waits for three promises of different types; see ``when(fulfilled:_:)``.
@inlinable
public func when<A: Thenable, B: Thenable, C: Thenable>(
    fulfilled a: A, _ b: B, _ c: C
) -> Promise<(A.T, B.T, C.T)> {
    let (a, b, c) = (a._promise, b._promise, c._promise)
    return _when([a, b, c]) {
        (a.fulfilledValue, b.fulfilledValue, c.fulfilledValue)
    }
}

/// Waits for four promises of different types; see ``when(fulfilled:_:)``.
@inlinable
public func when<A: Thenable, B: Thenable, C: Thenable, D: Thenable>(
    fulfilled a: A, _ b: B, _ c: C, _ d: D
) -> Promise<(A.T, B.T, C.T, D.T)> {
    let (a, b, c, d) = (a._promise, b._promise, c._promise, d._promise)
    return _when([a, b, c, d]) {
        (
            a.fulfilledValue, b.fulfilledValue, c.fulfilledValue,
            d.fulfilledValue
        )
    }
}

/// Waits for five promises of different types; see ``when(fulfilled:_:)``.
@inlinable
public func when<A: Thenable, B: Thenable, C: Thenable, D: Thenable, E: Thenable>(
    fulfilled a: A, _ b: B, _ c: C, _ d: D, _ e: E
) -> Promise<(A.T, B.T, C.T, D.T, E.T)> {
    let (a, b, c, d, e) = (a._promise, b._promise, c._promise, d._promise, e._promise)
    return _when([a, b, c, d, e]) {
        (
            a.fulfilledValue, b.fulfilledValue, c.fulfilledValue,
            d.fulfilledValue, e.fulfilledValue
        )
    }
}

/// Waits for six promises of different types; see ``when(fulfilled:_:)``.
@inlinable
public func when<A: Thenable, B: Thenable, C: Thenable, D: Thenable, E: Thenable, F: Thenable>(
    fulfilled a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F
) -> Promise<(A.T, B.T, C.T, D.T, E.T, F.T)> {
    let (a, b, c, d, e, f) = (a._promise, b._promise, c._promise, d._promise, e._promise, f._promise)
    return _when([a, b, c, d, e, f]) {
        (
            a.fulfilledValue, b.fulfilledValue, c.fulfilledValue,
            d.fulfilledValue, e.fulfilledValue, f.fulfilledValue
        )
    }
}

/// Waits for seven promises of different types; see ``when(fulfilled:_:)``.
@inlinable
public func when<A: Thenable, B: Thenable, C: Thenable, D: Thenable, E: Thenable, F: Thenable, G: Thenable>(
    fulfilled a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G
) -> Promise<(A.T, B.T, C.T, D.T, E.T, F.T, G.T)> {
    let (a, b, c, d, e, f, g) = (a._promise, b._promise, c._promise, d._promise, e._promise, f._promise, g._promise)
    return _when([a, b, c, d, e, f, g]) {
        (
            a.fulfilledValue, b.fulfilledValue, c.fulfilledValue,
            d.fulfilledValue, e.fulfilledValue, f.fulfilledValue,
            g.fulfilledValue
        )
    }
}
