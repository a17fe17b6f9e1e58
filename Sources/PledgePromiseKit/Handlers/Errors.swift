import Dispatch

// Handlers for errors: see PledgePromiseKit.swift for how they differ from Pledge's.
@_spi(PromiseKit) extension Thenable {
    /// Handles the error that ends a chain.
    @preconcurrency @discardableResult public func `catch`(
        on queue: DispatchQueue? = conf.Q.return, policy: CatchPolicy = conf.catchPolicy,
        _ body: @escaping @Sendable (any Error) -> Void
    ) -> Promise<Void> { `catch`(on: queue, flags: nil, policy: policy) { body(PMKError.from($0)) } }

    /// Handles errors of one type; other errors continue to the next `catch`.
    @preconcurrency public func `catch`<E: Error>(
        only type: E.Type, on queue: DispatchQueue? = conf.Q.return, policy: CatchPolicy = conf.catchPolicy,
        _ body: @escaping @Sendable (E) -> Void
    ) -> Promise<Void> { translated().catch(only: type, on: queue, flags: nil, policy: policy, body) }

    /// Handles one error; other errors continue to the next `catch`.
    @preconcurrency public func `catch`<E: Error & Equatable>(
        only wanted: E, on queue: DispatchQueue? = conf.Q.return, _ body: @escaping @Sendable (E) -> Void
    ) -> Promise<Void> { `catch`(only: wanted, on: queue, flags: nil, body) }

    /// Recovers from an error with a guarantee; a value passes through. The result cannot reject.
    @preconcurrency public func recover(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (any Error) -> Guarantee<T>
    ) -> Guarantee<T> { recover(on: queue, flags: nil) { body(PMKError.from($0)) } }

    /// Recovers from an error with another promise; a value passes through.
    @preconcurrency public func recover<U: Thenable>(
        on queue: DispatchQueue? = conf.Q.map, policy: CatchPolicy = conf.catchPolicy,
        _ body: @escaping @Sendable (any Error) throws -> U
    ) -> Promise<T> where U.T == T { recover(on: queue, flags: nil, policy: policy) { try body(PMKError.from($0)) } }

    /// Recovers from errors of one type with another promise; other errors and values pass through.
    @preconcurrency public func recover<U: Thenable, E: Error>(
        only type: E.Type, on queue: DispatchQueue? = conf.Q.map, policy: CatchPolicy = conf.catchPolicy,
        _ body: @escaping @Sendable (E) throws -> U
    ) -> Promise<T> where U.T == T { translated().recover(only: type, on: queue, flags: nil, policy: policy, body) }

    /// Recovers from one error with another promise; other errors and values pass through.
    @preconcurrency public func recover<U: Thenable, E: Error & Equatable>(
        only wanted: E, on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (E) throws -> U
    ) -> Promise<T> where U.T == T { recover(only: wanted, on: queue, flags: nil, body) }

    /// Runs `body` regardless of the outcome, which passes through unchanged.
    @preconcurrency public func ensure(
        on queue: DispatchQueue? = conf.Q.return, _ body: @escaping @Sendable () -> Void
    ) -> Promise<T> { ensure(on: queue, flags: nil, body) }

    /// Waits for the guarantee of `body` regardless of the outcome, which then passes through unchanged.
    @preconcurrency public func ensureThen(
        on queue: DispatchQueue? = conf.Q.return, _ body: @escaping @Sendable () -> Guarantee<Void>
    ) -> Promise<T> { ensureThen(on: queue, flags: nil, body) }

    /// Returns this promise with its error as ``PMKError``, so that its type can be matched.
    private func translated() -> Promise<T> { mapError(on: nil) { PMKError.from($0) } }
}

@_spi(PromiseKit) extension Thenable where T == Void {
    /// Handles an error and continues; the result cannot reject.
    @preconcurrency @discardableResult public func recover(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (any Error) -> Void
    ) -> Guarantee<Void> { recover(on: queue, flags: nil) { body(PMKError.from($0)) } }

    /// Handles an error and continues, unless `body` throws.
    @preconcurrency public func recover(
        on queue: DispatchQueue? = conf.Q.map, policy: CatchPolicy = conf.catchPolicy,
        _ body: @escaping @Sendable (any Error) throws -> Void
    ) -> Promise<Void> { recover(on: queue, flags: nil, policy: policy) { try body(PMKError.from($0)) } }

    /// Handles errors of one type and continues; other errors pass through.
    @preconcurrency public func recover<E: Error>(
        only type: E.Type, on queue: DispatchQueue? = conf.Q.map, policy: CatchPolicy = conf.catchPolicy,
        _ body: @escaping @Sendable (E) throws -> Void
    ) -> Promise<Void> { recover(only: type, on: queue, policy: policy) { Promise.value(try body($0)) } }

    /// Handles one error and continues; other errors pass through.
    @preconcurrency public func recover<E: Error & Equatable>(
        only wanted: E, on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (E) throws -> Void
    ) -> Promise<Void> { recover(only: wanted, on: queue, flags: nil, body) }

    /// Runs `body` at the end of a chain, regardless of the outcome.
    @preconcurrency public func finally(
        on queue: DispatchQueue? = conf.Q.return, _ body: @escaping @Sendable () -> Void
    ) { finally(on: queue, flags: nil, body) }
}
