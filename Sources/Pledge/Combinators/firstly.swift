/// Begins a chain, with the same indentation as the rest of it, from a body that may throw.
///
/// - Parameters:
///   - body: runs at once, in the calling thread.
/// - Returns: a promise that settles as the one `body` returns.
/// - Rejects: with what `body` throws.
/// - Cancellation: passes up to the promise `body` returned.
public func firstly<U: Thenable>(execute body: () throws -> U) -> Promise<U.T> {
    do {
        return try body()._promise
    } catch {
        return Promise(error: error)
    }
}

/// Begins a chain that cannot fail with a guarantee; see the form for promises.
///
/// - Parameters:
///   - body: runs at once, in the calling thread.
/// - Returns: the guarantee `body` returned.
public func firstly<T: Sendable>(execute body: () -> Guarantee<T>) -> Guarantee<T> {
    body()
}
