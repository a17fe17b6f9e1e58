import Dispatch

extension Thenable {
    /// Turns an error into a guarantee; a value passes by. After this, nothing can go wrong.
    ///
    /// - Parameters:
    ///   - queue: the queue `body` runs on; nil for right where the promise settles.
    ///   - flags: how it is put on that queue.
    ///   - body: returns the guarantee to go on with; called for cancellation too.
    /// - Cancellation: passes up to this promise, which then rejects, so that `body` is called.
    @inlinable public func recover(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (any Error) -> Guarantee<T>
    ) -> Guarantee<T> {
        let promise = _promise
        return Guarantee<T>(
            _unfailing: promise._chain(on: queue, flags: flags, .errors) { next in
                promise._hand(to: next) { (next: Promise<T>, outcome) in
                    switch outcome {
                    case .success: next._settle(as: outcome)
                    case .failure(let error): next._follow(body(error)._promise)
                    }
                }
            })
    }

    /// Turns an error into another promise; a value passes by.
    ///
    /// - Parameters:
    ///   - queue: the queue `body` runs on; nil for right where the promise settles.
    ///   - flags: how it is put on that queue.
    ///   - policy: whether `body` is called for cancellation too.
    ///   - body: returns the promise to go on with, or throws.
    /// - Rejects: with what `body` throws or its promise rejects with; with a cancellation that the policy lets pass.
    /// - Cancellation: passes up to this promise, or, once `body` has run, to the promise it returned.
    @inlinable public func recover<U: Thenable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @Sendable (any Error) throws -> U
    ) -> Promise<T> where U.T == T {
        let promise = _promise
        return promise._chain(on: queue, flags: flags, .errors) { next in
            promise._hand(to: next) { (next: Promise<T>, outcome) in
                guard case .failure(let error) = outcome, policy == .allErrors || !error.isCancelled else {
                    return next._settle(as: outcome)
                }
                next._follow(try body(error)._promise)
            }
        }
    }

    /// Turns an error into another error; a value passes by.
    ///
    /// - Parameters:
    ///   - queue: the queue `transform` runs on; nil for right where the promise settles.
    ///   - flags: how it is put on that queue.
    ///   - transform: returns the new error.
    /// - Rejects: with what `transform` returns.
    /// - Cancellation: passes up to this promise.
    @inlinable public func mapError(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (any Error) -> any Error
    ) -> Promise<T> {
        recover(on: queue, flags: flags, policy: .allErrors) { error -> Promise<T> in throw transform(error) }
    }

    // For errors of one kind. The plain ones have the rest of what there is to say.

    /// Turns errors of one type into another promise; other errors and values pass by.
    @inlinable public func recover<U: Thenable, E: Error>(
        only type: E.Type, on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy, _ body: @escaping @Sendable (E) throws -> U
    ) -> Promise<T> where U.T == T {
        recover(on: queue, flags: flags, policy: policy) { error -> Promise<T> in
            guard let error = error as? E else { throw error }
            return try body(error)._promise
        }
    }

    /// Turns one error, be it a cancellation, into another promise; other errors and values pass by.
    @inlinable public func recover<U: Thenable, E: Error & Equatable>(
        only wanted: E, on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (E) throws -> U
    ) -> Promise<T> where U.T == T {
        recover(on: queue, flags: flags, policy: .allErrors) { error -> Promise<T> in
            guard let error = error as? E, error == wanted else { throw error }
            return try body(error)._promise
        }
    }
}

// As above, for promises of nothing: a handler that returns goes on.
extension Thenable where T == Void {
    /// Handles an error, cancellation included, and goes on; after this, nothing can go wrong.
    @inlinable @discardableResult public func recover(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (any Error) -> Void
    ) -> Guarantee<Void> {
        recover(on: queue, flags: flags) { error -> Guarantee<Void> in .value(body(error)) }
    }

    /// Handles an error and goes on, unless `body` throws.
    @inlinable public func recover(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @Sendable (any Error) throws -> Void
    ) -> Promise<Void> {
        recover(on: queue, flags: flags, policy: policy) { error -> Promise<Void> in .value(try body(error)) }
    }

    /// Handles errors of one type and goes on; other errors pass by.
    @inlinable public func recover<E: Error>(
        only type: E.Type, on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy, _ body: @escaping @Sendable (E) throws -> Void
    ) -> Promise<Void> {
        recover(only: type, on: queue, flags: flags, policy: policy) { e -> Promise<Void> in .value(try body(e)) }
    }

    /// Handles one error and goes on; other errors pass by.
    @inlinable public func recover<E: Error & Equatable>(
        only wanted: E, on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (E) throws -> Void
    ) -> Promise<Void> {
        recover(only: wanted, on: queue, flags: flags) { error -> Promise<Void> in .value(try body(error)) }
    }
}
