import Dispatch

// Handlers of errors: see PledgePromiseKit.swift for what they have that Pledge's have not.
extension Thenable {
    /// Handles the error a chain ends with.
    @preconcurrency
    @discardableResult
    public func `catch`(
        on queue: DispatchQueue? = conf.Q.return, policy: CatchPolicy = conf.catchPolicy,
        _ body: @escaping @Sendable (any Error) -> Void
    ) -> Promise<Void> { `catch`(on: queue, flags: nil, policy: policy) { body(PMKError.from($0)) } }

    /// Handles errors of one type; others go on to the next `catch`.
    @preconcurrency
    public func `catch`<E: Error>(
        only type: E.Type, on queue: DispatchQueue? = conf.Q.return, policy: CatchPolicy = conf.catchPolicy,
        _ body: @escaping @Sendable (E) -> Void
    ) -> Promise<Void> { translated().catch(only: type, on: queue, flags: nil, policy: policy, body) }

    /// Handles one error; others go on to the next `catch`.
    @preconcurrency
    public func `catch`<E: Error & Equatable>(
        only wanted: E, on queue: DispatchQueue? = conf.Q.return,
        _ body: @escaping @Sendable (E) -> Void
    ) -> Promise<Void> { `catch`(only: wanted, on: queue, flags: nil, body) }

    /// Turns an error into a guarantee; a value passes by. After this, nothing can go wrong.
    @preconcurrency
    public func recover(
        on queue: DispatchQueue? = conf.Q.map,
        _ body: @escaping @Sendable (any Error) -> Guarantee<T>
    ) -> Guarantee<T> { recover(on: queue, flags: nil) { body(PMKError.from($0)) } }

    /// Turns an error into another promise; a value passes by.
    @preconcurrency
    public func recover<U: Thenable>(
        on queue: DispatchQueue? = conf.Q.map, policy: CatchPolicy = conf.catchPolicy,
        _ body: @escaping @Sendable (any Error) throws -> U
    ) -> Promise<T> where U.T == T { recover(on: queue, flags: nil, policy: policy) { try body(PMKError.from($0)) } }

    /// Turns errors of one type into another promise; other errors and values pass by.
    @preconcurrency
    public func recover<U: Thenable, E: Error>(
        only type: E.Type, on queue: DispatchQueue? = conf.Q.map, policy: CatchPolicy = conf.catchPolicy,
        _ body: @escaping @Sendable (E) throws -> U
    ) -> Promise<T> where U.T == T { translated().recover(only: type, on: queue, flags: nil, policy: policy, body) }

    /// Turns one error into another promise; other errors and values pass by.
    @preconcurrency
    public func recover<U: Thenable, E: Error & Equatable>(
        only wanted: E, on queue: DispatchQueue? = conf.Q.map,
        _ body: @escaping @Sendable (E) throws -> U
    ) -> Promise<T> where U.T == T { recover(only: wanted, on: queue, flags: nil, body) }

    /// Runs `body` whatever the outcome, which passes by unchanged.
    @preconcurrency
    public func ensure(
        on queue: DispatchQueue? = conf.Q.return,
        _ body: @escaping @Sendable () -> Void
    ) -> Promise<T> { ensure(on: queue, flags: nil, body) }

    /// Waits for the work of `body` whatever the outcome, which then passes by unchanged.
    @preconcurrency
    public func ensureThen(
        on queue: DispatchQueue? = conf.Q.return,
        _ body: @escaping @Sendable () -> Guarantee<Void>
    ) -> Promise<T> { ensureThen(on: queue, flags: nil, body) }

    /// The same with its error as ``PMKError``, to be asked for its type.
    private func translated() -> Promise<T> { mapError(on: nil) { PMKError.from($0) } }
}

extension Thenable where T == Void {
    /// Handles an error and goes on; after this, nothing can go wrong.
    @preconcurrency
    @discardableResult
    public func recover(
        on queue: DispatchQueue? = conf.Q.map,
        _ body: @escaping @Sendable (any Error) -> Void
    ) -> Guarantee<Void> { recover(on: queue, flags: nil) { body(PMKError.from($0)) } }

    /// Handles an error and goes on, unless `body` throws.
    @preconcurrency
    public func recover(
        on queue: DispatchQueue? = conf.Q.map, policy: CatchPolicy = conf.catchPolicy,
        _ body: @escaping @Sendable (any Error) throws -> Void
    ) -> Promise<Void> { recover(on: queue, flags: nil, policy: policy) { try body(PMKError.from($0)) } }

    /// Handles errors of one type and goes on; other errors pass by.
    @preconcurrency
    public func recover<E: Error>(
        only type: E.Type, on queue: DispatchQueue? = conf.Q.map, policy: CatchPolicy = conf.catchPolicy,
        _ body: @escaping @Sendable (E) throws -> Void
    ) -> Promise<Void> { recover(only: type, on: queue, policy: policy) { Promise.value(try body($0)) } }

    /// Handles one error and goes on; other errors pass by.
    @preconcurrency
    public func recover<E: Error & Equatable>(
        only wanted: E, on queue: DispatchQueue? = conf.Q.map,
        _ body: @escaping @Sendable (E) throws -> Void
    ) -> Promise<Void> { recover(only: wanted, on: queue, flags: nil, body) }

    /// Runs `body` at the very end, whatever the outcome.
    @preconcurrency
    public func finally(
        on queue: DispatchQueue? = conf.Q.return,
        _ body: @escaping @Sendable () -> Void
    ) { finally(on: queue, flags: nil, body) }
}
