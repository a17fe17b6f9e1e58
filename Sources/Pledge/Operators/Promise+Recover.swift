import Dispatch

extension Thenable {
    /// Turns an error into a guarantee; a value passes by. After this, nothing can go wrong.
    ///
    /// - Parameters:
    ///   - on: the queue `body` runs on; nil for the default executor.
    ///   - flags: how it is put on that queue.
    ///   - body: returns the guarantee to go on with; called for cancellation too.
    /// - Cancellation: passes up to this promise, which then rejects, so that `body` is called.
    @inlinable
    public func recover(
        on queue: DispatchQueue? = nil, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (any Error) -> Guarantee<T>
    ) -> Guarantee<T> {
        let next = Promise<T>(role: .rejections) { handler, source in
            let source = unsafeDowncast(source, to: Promise<T>.self)
            unsafeDowncast(handler, to: Promise<T>.self)._follow(source.failure.map { body($0)._promise } ?? source)
        }
        let guarantee = Guarantee(_unfailing: next)
        _promise._register(next, on: queue, flags: flags)
        return guarantee
    }

    /// Turns errors of one type into another promise; other errors and values pass by.
    ///
    /// - Parameters:
    ///   - only: the type.
    ///   - on: the queue `body` runs on; nil for the default executor.
    ///   - flags: how it is put on that queue.
    ///   - policy: whether `body` is called for cancellation too.
    ///   - body: returns the promise to go on with, or throws.
    @inlinable
    public func recover<U: Thenable, E: Error>(
        only type: E.Type, on queue: DispatchQueue? = nil, flags: DispatchWorkItemFlags? = nil,
        policy: CatchPolicy = .allErrors, _ body: @escaping @Sendable (E) throws -> U
    ) -> Promise<T> where U.T == T {
        recover(on: queue, flags: flags, policy: policy) { error -> Promise<T> in
            guard let error = error as? E else { throw error }
            return try body(error)._promise
        }
    }

    /// Turns one error into another promise; other errors and values pass by.
    ///
    /// - Parameters:
    ///   - only: the error.
    ///   - on: the queue `body` runs on; nil for the default executor.
    ///   - flags: how it is put on that queue.
    ///   - body: returns the promise to go on with, or throws.
    @inlinable
    public func recover<U: Thenable, E: Error & Equatable>(
        only wanted: E, on queue: DispatchQueue? = nil, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (E) throws -> U
    ) -> Promise<T> where U.T == T {
        recover(on: queue, flags: flags) { error -> Promise<T> in
            guard let error = error as? E, error == wanted else { throw error }
            return try body(error)._promise
        }
    }

    /// Turns an error into another promise; a value passes by.
    ///
    /// - Parameters:
    ///   - on: the queue `body` runs on; nil for the default executor.
    ///   - flags: how it is put on that queue.
    ///   - policy: whether `body` is called for cancellation too.
    ///   - body: returns the promise to go on with, or throws.
    /// - Rejects: with what `body` throws or its promise rejects with; with a cancellation that the policy lets pass.
    /// - Cancellation: passes up to this promise, or, once `body` has run, to the promise it returned.
    @inlinable
    public func recover<U: Thenable>(
        on queue: DispatchQueue? = nil, flags: DispatchWorkItemFlags? = nil,
        policy: CatchPolicy = .allErrors,
        _ body: @escaping @Sendable (any Error) throws -> U
    ) -> Promise<T> where U.T == T {
        let next = Promise<T>(role: .rejections) { handler, source in
            let next = unsafeDowncast(handler, to: Promise<T>.self)
            guard let error = source.failure else {
                return next._fulfill(unsafeDowncast(source, to: Promise<T>.self).fulfilledValue)
            }
            guard policy == .allErrors || !error.isCancelled else { return next._reject(error) }
            do {
                next._follow(try body(error)._promise)
            } catch {
                next._reject(error)
            }
        }
        _promise._register(next, on: queue, flags: flags)
        return next
    }

    /// Turns an error into another error; a value passes by.
    ///
    /// - Parameters:
    ///   - on: the queue `transform` runs on; nil for the default executor.
    ///   - flags: how it is put on that queue.
    ///   - transform: returns the new error.
    /// - Rejects: with what `transform` returns.
    /// - Cancellation: passes up to this promise.
    @inlinable
    public func mapError(
        on queue: DispatchQueue? = nil, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (any Error) -> any Error
    ) -> Promise<T> {
        recover(on: queue, flags: flags) { error -> Promise<T> in
            throw transform(error)
        }
    }
}

extension Thenable where T == Void {
    /// Handles an error and goes on; after this, nothing can go wrong.
    ///
    /// - Parameters:
    ///   - on: the queue `body` runs on; nil for the default executor.
    ///   - flags: how it is put on that queue.
    ///   - body: gets the error, cancellation included.
    @inlinable
    @discardableResult
    public func recover(
        on queue: DispatchQueue? = nil, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (any Error) -> Void
    ) -> Guarantee<Void> {
        recover(on: queue, flags: flags) { error -> Guarantee<Void> in
            body(error)
            return Guarantee()
        }
    }

    /// Handles an error and goes on, unless `body` throws.
    ///
    /// - Parameters:
    ///   - on: the queue `body` runs on; nil for the default executor.
    ///   - flags: how it is put on that queue.
    ///   - policy: whether `body` is called for cancellation too.
    ///   - body: gets the error; what it throws rejects.
    @inlinable
    public func recover(
        on queue: DispatchQueue? = nil, flags: DispatchWorkItemFlags? = nil, policy: CatchPolicy = .allErrors,
        _ body: @escaping @Sendable (any Error) throws -> Void
    ) -> Promise<Void> {
        recover(on: queue, flags: flags, policy: policy) { error -> Promise<Void> in
            try body(error)
            return Promise()
        }
    }

    /// Handles errors of one type and goes on; other errors pass by.
    ///
    /// - Parameters:
    ///   - only: the type.
    ///   - on: the queue `body` runs on; nil for the default executor.
    ///   - flags: how it is put on that queue.
    ///   - policy: whether `body` is called for cancellation too.
    ///   - body: gets the error; what it throws rejects.
    @inlinable
    public func recover<E: Error>(
        only type: E.Type, on queue: DispatchQueue? = nil, flags: DispatchWorkItemFlags? = nil,
        policy: CatchPolicy = .allErrors, _ body: @escaping @Sendable (E) throws -> Void
    ) -> Promise<Void> {
        recover(only: type, on: queue, flags: flags, policy: policy) { error -> Promise<Void> in
            try body(error)
            return Promise()
        }
    }

    /// Handles one error and goes on; other errors pass by.
    ///
    /// - Parameters:
    ///   - only: the error.
    ///   - on: the queue `body` runs on; nil for the default executor.
    ///   - flags: how it is put on that queue.
    ///   - body: gets the error; what it throws rejects.
    @inlinable
    public func recover<E: Error & Equatable>(
        only wanted: E, on queue: DispatchQueue? = nil, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (E) throws -> Void
    ) -> Promise<Void> {
        recover(only: wanted, on: queue, flags: flags) { error -> Promise<Void> in
            try body(error)
            return Promise()
        }
    }
}
