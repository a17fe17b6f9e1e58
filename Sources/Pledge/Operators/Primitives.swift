import Dispatch

// What all operators are made of.
extension Promise {
    /// The primitive of all operators: a promise that `run` settles, called once this one has settled.
    ///
    /// Inlined, so that an operator makes one closure, of the caller's types.
    @inlinable @inline(__always)
    final func _chain<U: Sendable>(
        on queue: DispatchQueue?, flags: DispatchWorkItemFlags?, _ interest: _Interest,
        _ run: @escaping (_PromiseStorage) -> Void
    ) -> Promise<U> {
        let next = Promise<U>(unsettled: ())
        _register(next, on: queue, flags: flags, interest, run)
        return next
    }

    /// Calls `step` with the value, or passes the error on; neither if the promise to be settled was cancelled.
    @inlinable @inline(__always)
    final func _pass<U: Sendable>(to target: _PromiseStorage, _ step: (Promise<U>, T) throws -> Void) {
        let next = target._as(Promise<U>.self)
        guard next._isPending else { return }
        if let failure { return next._reject(failure) }
        do { try step(next, _value) } catch { next._reject(error) }
    }

    /// Calls `step` with the outcome, unless the promise to be settled was cancelled.
    @inlinable @inline(__always)
    final func _hand<U: Sendable>(
        to target: _PromiseStorage, _ step: (Promise<U>, Result<T, any Error>) throws -> Void
    ) {
        let next = target._as(Promise<U>.self)
        guard next._isPending else { return }
        do { try step(next, _outcome) } catch { next._reject(error) }
    }
}
