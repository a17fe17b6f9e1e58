import Dispatch

extension Thenable {
    /// Handles the error a chain ends with.
    ///
    /// `body` runs on the queue, as the closure of ``map(on:flags:_:)`` does. The policy says whether cancellation
    /// counts as an error. By default it doesn't, which is easily forgotten: put what must always run into `ensure` or
    /// `finally`.
    ///
    /// - Returns: A promise that is fulfilled when the chain has ended, with or without an error.
    @_disfavoredOverload @inlinable @discardableResult public func `catch`(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @Sendable (any Error) -> Void
    ) -> Promise<Void> {
        handle(on: queue, flags: flags) { error in
            if policy == .allErrors || !error.isCancelled { body(error) } else { PromiseStorage.passCancel() }
            return true
        }
    }

    /// Handles errors of one type. Other errors reject the returned promise, for the next `catch`.
    @_disfavoredOverload @inlinable public func `catch`<E: Error>(
        only type: E.Type, on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy, _ body: @escaping @Sendable (E) -> Void
    ) -> Promise<Void> {
        handle(on: queue, flags: flags) { error in
            guard let error = error as? E, policy == .allErrors || !error.isCancelled else { return false }
            body(error)
            return true
        }
    }

    /// Handles one error, including cancellation. Other errors reject the returned promise, for the next `catch`.
    @_disfavoredOverload @inlinable public func `catch`<E: Error & Equatable>(
        only wanted: E, on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (E) -> Void
    ) -> Promise<Void> {
        handle(on: queue, flags: flags) { error in
            guard let error = error as? E, error == wanted else { return false }
            body(error)
            return true
        }
    }

    @inlinable func handle(
        on queue: DispatchQueue?, flags: DispatchWorkItemFlags?,
        _ attempt: @escaping @Sendable (any Error) -> Bool
    ) -> Promise<Void> {
        let promise = _promise
        return promise._chain(on: queue, flags: flags, [.errors, .end]) { next in
            promise._hand(to: next) { (next: ValueStorage<Void?>, outcome) in
                if case .failure(let error) = outcome, !attempt(error) { throw error }
                next.fulfill(())
            }
        }
    }

    /// Ends a chain without a `catch`. An error is reported to the log handler.
    @discardableResult public func cauterize() -> Promise<Void> {
        `catch` { PromiseConfiguration.log(.cauterized($0)) }
    }
}

extension Thenable {
    /// Recovers from an error, including cancellation, with a guarantee, which can't fail. A value is passed on.
    ///
    /// - Cancellation: Propagates to this promise, which then rejects, so that `body` is called.
    @_disfavoredOverload @inlinable public func recover(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (any Error) -> Guarantee<T>
    ) -> Guarantee<T> {
        let promise = _promise
        return Guarantee<T>(
            _unfailing: promise._chain(on: queue, flags: flags, .errors) { next in
                promise._hand(to: next) { (next: ValueStorage<T?>, outcome) in
                    switch outcome {
                    case .success: next.settle(as: outcome)
                    case .failure(let error): next.follow(body(error)._promise)
                    }
                }
            })
    }

    /// Recovers from an error (from cancellation only if the policy says so) with a promise. A value is passed on.
    ///
    /// - Cancellation: Propagates to this promise or, once `body` has run, to the promise it returned.
    @_disfavoredOverload @inlinable public func recover<U: Thenable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @Sendable (any Error) throws -> U
    ) -> Promise<T> where U.T == T {
        let promise = _promise
        return promise._chain(on: queue, flags: flags, .errors) { next in
            promise._hand(to: next) { (next: ValueStorage<T?>, outcome) in
                guard case .failure(let error) = outcome, policy == .allErrors || !error.isCancelled else {
                    return next.settle(as: outcome)
                }
                next.follow(try body(error)._promise)
            }
        }
    }

    /// Transforms an error, including cancellation, as ``map(on:flags:_:)`` transforms a value. A value is passed on.
    @_disfavoredOverload @inlinable public func mapError(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (any Error) -> any Error
    ) -> Promise<T> {
        recover(on: queue, flags: flags, policy: .allErrors) { error -> Promise<T> in throw transform(error) }
    }

    // Overloads for one kind of error. The methods above have the complete documentation.

    /// Recovers from errors of one type with another promise. Values and other errors are passed on.
    @_disfavoredOverload @inlinable public func recover<U: Thenable, E: Error>(
        only type: E.Type, on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy, _ body: @escaping @Sendable (E) throws -> U
    ) -> Promise<T> where U.T == T {
        recover(on: queue, flags: flags, policy: policy) { error -> Promise<T> in
            guard let error = error as? E else { throw error }
            return try body(error)._promise
        }
    }

    /// Recovers from one error, including cancellation, with another promise. Values and other errors are passed on.
    @_disfavoredOverload @inlinable public func recover<U: Thenable, E: Error & Equatable>(
        only wanted: E, on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (E) throws -> U
    ) -> Promise<T> where U.T == T {
        recover(on: queue, flags: flags, policy: .allErrors) { error -> Promise<T> in
            guard let error = error as? E, error == wanted else { throw error }
            return try body(error)._promise
        }
    }
}

// The same operators for promises without a value: the chain continues when the handler returns.
extension Thenable where T == Void {
    /// Recovers from an error, including cancellation, so that the chain can no longer fail.
    @_disfavoredOverload @inlinable @discardableResult public func recover(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (any Error) -> Void
    ) -> Guarantee<Void> { recover(on: queue, flags: flags) { error -> Guarantee<Void> in .value(body(error)) } }

    /// Recovers from an error, unless `body` throws.
    @_disfavoredOverload @inlinable public func recover(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @Sendable (any Error) throws -> Void
    ) -> Promise<Void> {
        recover(on: queue, flags: flags, policy: policy) { error -> Promise<Void> in .value(try body(error)) }
    }

    /// Recovers from errors of one type. Other errors are passed on.
    @_disfavoredOverload @inlinable public func recover<E: Error>(
        only type: E.Type, on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy, _ body: @escaping @Sendable (E) throws -> Void
    ) -> Promise<Void> {
        recover(only: type, on: queue, flags: flags, policy: policy) { e -> Promise<Void> in .value(try body(e)) }
    }

    /// Recovers from one error, including cancellation. Other errors are passed on.
    @_disfavoredOverload @inlinable public func recover<E: Error & Equatable>(
        only wanted: E, on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (E) throws -> Void
    ) -> Promise<Void> {
        recover(only: wanted, on: queue, flags: flags) { error -> Promise<Void> in .value(try body(error)) }
    }
}
