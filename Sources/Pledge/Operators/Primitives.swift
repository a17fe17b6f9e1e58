import Dispatch

// The building blocks of all operators.
extension Promise {
    /// Returns a promise that `run` settles, called once this promise has settled: the primitive of all operators.
    ///
    /// Inlined, so that an operator creates one closure, specialized for the caller's types.
    @inlinable @inline(__always) func _chain<U: Sendable>(
        on queue: DispatchQueue?, flags: DispatchWorkItemFlags?, _ interest: _Interest,
        _ run: @escaping (PromiseStorage) -> Void
    ) -> Promise<U> {
        let next = Promise<U>(unsettled: ())
        next.storage.wait(for: storage, on: queue, flags: flags, interest, isNew: true, run)
        return next
    }

    /// Calls `step` with the value, or passes the error on. Does neither if the promise to settle was canceled.
    @inlinable @inline(__always)
    func _pass<U: Sendable>(to target: PromiseStorage, _ step: (ValueStorage<U?>, T) throws -> Void) {
        let next = target.typed(U.self)
        guard next.isPending else { return }
        if let failure = storage.failure { return next.reject(failure) }
        do { try step(next, _value) } catch { next.reject(error) }
    }

    /// Calls `step` with the outcome, unless the promise to settle was canceled.
    @inlinable @inline(__always) func _hand<U: Sendable>(
        to target: PromiseStorage, _ step: (ValueStorage<U?>, Result<T, any Error>) throws -> Void
    ) {
        let next = target.typed(U.self)
        guard next.isPending else { return }
        do { try step(next, _outcome) } catch { next.reject(error) }
    }

    /// The value of a promise known to be fulfilled.
    @inlinable var _value: T { storage.value() }

    /// The outcome of a promise known to have settled.
    @inlinable var _outcome: Result<T, any Error> { storage.failure.map { .failure($0) } ?? .success(_value) }
}

extension ValueStorage {
    /// The value of a promise known to be fulfilled.
    @inlinable @inline(__always) func value<T>() -> T where Value == T? {
        // Unsafe, because checking has a cost at each hop: a promise is fulfilled only after its value was set.
        stored.unsafelyUnwrapped
    }

    @inlinable @inline(__always) func settle<T>(as outcome: Result<T, any Error>) where Value == T? {
        switch outcome {
        case .success(let value): fulfill(value)
        case .failure(let error): reject(error)
        }
    }

    /// Settles in the same way as `inner`.
    @inlinable func follow<T: Sendable>(_ inner: Promise<T>) where Value == T? {
        guard inner.storage !== self else { return refuseItself() }
        guard let isFulfilled = inner.storage.look(handling: false) else {
            return wait(for: inner.storage) { $0.typed(T.self).settle(as: inner._outcome) }
        }
        if isFulfilled { fulfill(inner._value) } else { adoptError(of: inner.storage) }
    }
}

extension PromiseStorage {
    /// This storage with the type of its value, which is known.
    @inlinable @inline(__always) final func typed<T: Sendable>(_ type: T.Type = T.self) -> ValueStorage<T?> {
        // Unsafe, because a checked cast costs as much as a hop: a handler's closure is created with its target.
        unsafeDowncast(self, to: ValueStorage<T?>.self)
    }

    /// Rejects with the error of a rejected promise, which is thereby handled.
    @usableFromInline final func adoptError(of inner: PromiseStorage) {
        guard let error = inner.failure else { return }
        inner.withState { $0.set(.observed) }
        `continue`(inner)
        reject(error)
    }

    /// Rejects a promise that would wait for itself.
    @usableFromInline final func refuseItself() {
        if withState({ $0.has(.guarantee) }) {
            // Not a precondition: a release build would stop without the message.
            fatalError("Pledge: a then returned the very guarantee it was making, which could never settle.")
        }
        reject(PromiseError.returnedSelf)
    }
}
