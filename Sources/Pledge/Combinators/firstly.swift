/// Begins a chain with the promise that a closure returns, indented like the rest of the chain. The closure runs
/// immediately, on the calling thread; an error that it throws rejects the chain.
@inlinable public func firstly<V, U: Thenable<V>>(execute body: () throws -> U) -> Promise<V> {
    do { return try body()._promise } catch { return Promise(error: error) }
}

/// Begins a chain that can't fail with the guarantee that a closure returns; see the overload for promises.
public func firstly<V>(execute body: () -> Guarantee<V>) -> Guarantee<V> { body() }
