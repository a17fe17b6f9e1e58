import Dispatch

// The building blocks of all operators.
extension Promise {
    /// Returns a promise that `run` settles, called once this promise has settled: the primitive of all operators.
    ///
    /// Inlined, so that an operator creates one closure, specialized for the caller's types.
    @inlinable @inline(__always) final func _chain<U: Sendable>(
        on queue: DispatchQueue?, flags: DispatchWorkItemFlags?, _ interest: _Interest,
        _ run: @escaping (_PromiseStorage) -> Void
    ) -> Promise<U> {
        let next = Promise<U>(unsettled: ())
        next._wait(for: self, on: queue, flags: flags, interest, isNew: true, run)
        return next
    }

    /// Calls `step` with the value, or passes the error on. Does neither if the promise to settle was canceled.
    @inlinable @inline(__always)
    final func _pass<U: Sendable>(to target: _PromiseStorage, _ step: (Promise<U>, T) throws -> Void) {
        let next = target._as(Promise<U>.self)
        guard next._isPending else { return }
        if let failure { return next._reject(failure) }
        do { try step(next, _value) } catch { next._reject(error) }
    }

    /// Calls `step` with the outcome, unless the promise to settle was canceled.
    @inlinable @inline(__always) final func _hand<U: Sendable>(
        to target: _PromiseStorage, _ step: (Promise<U>, Result<T, any Error>) throws -> Void
    ) {
        let next = target._as(Promise<U>.self)
        guard next._isPending else { return }
        do { try step(next, _outcome) } catch { next._reject(error) }
    }

    /// The value of a promise known to be fulfilled.
    @inlinable final var _value: T {
        // Unsafe, because checking has a cost at each hop: a promise is fulfilled only after its value was set.
        stored.unsafelyUnwrapped
    }

    /// The outcome of a promise known to have settled.
    @inlinable final var _outcome: Result<T, any Error> { failure.map { .failure($0) } ?? .success(_value) }

    @inlinable final func _fulfill(_ value: T) { _settle { stored = value } }

    @inlinable final func _settle(as outcome: Result<T, any Error>) {
        switch outcome {
        case .success(let value): _fulfill(value)
        case .failure(let error): _reject(error)
        }
    }

    /// Settles in the same way as `inner`.
    @inlinable final func _follow(_ inner: Promise<T>) {
        guard inner !== self else { return _refuseItself() }
        guard let isFulfilled = inner._look() else {
            return _wait(for: inner) { $0._as(Promise<T>.self)._settle(as: inner._outcome) }
        }
        if isFulfilled { _fulfill(inner._value) } else { _settle(as: inner._outcome) }
    }
}

extension _PromiseStorage {
    /// This object as a promise of a known type.
    @inlinable @inline(__always) final func _as<T: Sendable>(_ type: Promise<T>.Type) -> Promise<T> {
        // Unsafe, because a checked cast costs as much as a hop: a handler's closure is created with its target.
        unsafeDowncast(self, to: type)
    }

    /// Rejects a promise that would wait for itself.
    @usableFromInline final func _refuseItself() {
        if withState({ $0.has(.outlivesCancel) }) {
            // Not a precondition: a release build would stop without the message.
            fatalError("Pledge: a then returned the very guarantee it was making, which could never settle.")
        }
        _reject(PromiseError.returnedSelf)
    }
}
