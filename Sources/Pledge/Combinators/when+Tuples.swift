// One function for each number of promises from two to five, as in PromiseKit: with a function over a parameter pack, a
// closure that names the parts (`{ profile, averages in … }`) doesn't type-check.

/// Waits for two promises of different types, and combines their values in a tuple.
///
/// - Rejects: With the first error, as soon as it occurs. The other promises continue, but their outcomes are ignored.
@inlinable public func when<A, B>(fulfilled a: some Thenable<A>, _ b: some Thenable<B>) -> Promise<(A, B)> {
    let (a, b) = (a._promise, b._promise)
    return _all([a.storage, b.storage]) { (a._value, b._value) }
}

/// Waits for three promises of different types; see ``when(fulfilled:_:)``.
@inlinable public func when<A, B, C>(
    fulfilled a: some Thenable<A>, _ b: some Thenable<B>, _ c: some Thenable<C>
) -> Promise<(A, B, C)> {
    let (a, b, c) = (a._promise, b._promise, c._promise)
    return _all([a.storage, b.storage, c.storage]) { (a._value, b._value, c._value) }
}

/// Waits for four promises of different types; see ``when(fulfilled:_:)``.
@inlinable public func when<A, B, C, D>(
    fulfilled a: some Thenable<A>, _ b: some Thenable<B>, _ c: some Thenable<C>, _ d: some Thenable<D>
) -> Promise<(A, B, C, D)> {
    let (a, b, c, d) = (a._promise, b._promise, c._promise, d._promise)
    return _all([a.storage, b.storage, c.storage, d.storage]) { (a._value, b._value, c._value, d._value) }
}

/// Waits for five promises of different types; see ``when(fulfilled:_:)``.
@inlinable public func when<A, B, C, D, E>(
    fulfilled a: some Thenable<A>, _ b: some Thenable<B>, _ c: some Thenable<C>, _ d: some Thenable<D>,
    _ e: some Thenable<E>
) -> Promise<(A, B, C, D, E)> {
    let (a, b, c, d, e) = (a._promise, b._promise, c._promise, d._promise, e._promise)
    return _all([a.storage, b.storage, c.storage, d.storage, e.storage]) {
        (a._value, b._value, c._value, d._value, e._value)
    }
}

/// Waits for two guarantees of different types, and combines their values in a tuple.
public func when<A, B>(guarantees a: Guarantee<A>, _ b: Guarantee<B>) -> Guarantee<(A, B)> {
    Guarantee(_unfailing: when(fulfilled: a, b))
}

/// Waits for three guarantees of different types, and combines their values in a tuple.
public func when<A, B, C>(guarantees a: Guarantee<A>, _ b: Guarantee<B>, _ c: Guarantee<C>) -> Guarantee<(A, B, C)> {
    Guarantee(_unfailing: when(fulfilled: a, b, c))
}

/// Waits for four guarantees of different types, and combines their values in a tuple.
public func when<A, B, C, D>(
    guarantees a: Guarantee<A>, _ b: Guarantee<B>, _ c: Guarantee<C>, _ d: Guarantee<D>
) -> Guarantee<(A, B, C, D)> { Guarantee(_unfailing: when(fulfilled: a, b, c, d)) }

/// Waits for five guarantees of different types, and combines their values in a tuple.
public func when<A, B, C, D, E>(
    guarantees a: Guarantee<A>, _ b: Guarantee<B>, _ c: Guarantee<C>, _ d: Guarantee<D>, _ e: Guarantee<E>
) -> Guarantee<(A, B, C, D, E)> { Guarantee(_unfailing: when(fulfilled: a, b, c, d, e)) }
