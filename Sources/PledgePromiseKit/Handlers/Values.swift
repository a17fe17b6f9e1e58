import Dispatch

// Handlers of values: see PledgePromiseKit.swift for what they have that Pledge's have not.
extension Thenable {
    /// Continues with another promise, made from the value.
    @preconcurrency
    public func then<U: Thenable>(
        on queue: DispatchQueue? = conf.Q.map,
        _ body: @escaping @Sendable (T) throws -> U
    ) -> Promise<U.T> { then(on: queue, flags: nil, body) }

    /// Turns the value into another.
    @preconcurrency
    public func map<U: Sendable>(
        on queue: DispatchQueue? = conf.Q.map,
        _ body: @escaping @Sendable (T) throws -> U
    ) -> Promise<U> { map(on: queue, flags: nil, body) }

    /// Turns the value into another, where there is one; if not, the error is ``PMKError/compactMap(_:_:)``.
    @preconcurrency
    public func compactMap<U: Sendable>(
        on queue: DispatchQueue? = conf.Q.map,
        _ body: @escaping @Sendable (T) throws -> U?
    ) -> Promise<U> {
        map(on: queue, flags: nil) { value in
            guard let found = try body(value) else { throw PMKError.compactMap(value, U.self) }
            return found
        }
    }

    /// Uses the value, at the end of a chain.
    @preconcurrency
    public func done(
        on queue: DispatchQueue? = conf.Q.return,
        _ body: @escaping @Sendable (T) throws -> Void
    ) -> Promise<Void> { done(on: queue, flags: nil, body) }

    /// Looks at the value as it passes by.
    @preconcurrency
    public func get(
        on queue: DispatchQueue? = conf.Q.map,
        _ body: @escaping @Sendable (T) throws -> Void
    ) -> Promise<T> { get(on: queue, flags: nil, body) }

    /// Looks at the outcome as it passes by.
    @preconcurrency
    public func tap(
        on queue: DispatchQueue? = conf.Q.map,
        _ body: @escaping @Sendable (Result<T>) -> Void
    ) -> Promise<T> { tap(on: queue, flags: nil) { body(Result($0)) } }
}

extension Promise {
    /// A property of the value, where it is not nil; where it is, the error is ``PMKError/compactMap(_:_:)``.
    public func compactMap<U: Sendable>(_ keyPath: KeyPath<T, U?> & Sendable) -> Promise<U> {
        compactMap(on: nil) { $0[keyPath: keyPath] }
    }
}

extension Guarantee {
    /// A property of the value, where it is not nil; where it is, the error is ``PMKError/compactMap(_:_:)``.
    public func compactMap<U: Sendable>(_ keyPath: KeyPath<T, U?> & Sendable) -> Promise<U> {
        compactMap(on: nil) { $0[keyPath: keyPath] }
    }

    /// Continues with another guarantee, made from the value.
    @preconcurrency
    @discardableResult
    public func then<U: Sendable>(
        on queue: DispatchQueue? = conf.Q.map,
        _ body: @escaping @Sendable (T) -> Guarantee<U>
    ) -> Guarantee<U> { then(on: queue, flags: nil, body) }

    /// Turns the value into another.
    @preconcurrency
    public func map<U: Sendable>(
        on queue: DispatchQueue? = conf.Q.map,
        _ body: @escaping @Sendable (T) -> U
    ) -> Guarantee<U> { map(on: queue, flags: nil, body) }

    /// Uses the value, at the end of a chain.
    @preconcurrency
    @discardableResult
    public func done(
        on queue: DispatchQueue? = conf.Q.return,
        _ body: @escaping @Sendable (T) -> Void
    ) -> Guarantee<Void> { done(on: queue, flags: nil, body) }

    /// Looks at the value as it passes by.
    @preconcurrency
    public func get(
        on queue: DispatchQueue? = conf.Q.map,
        _ body: @escaping @Sendable (T) -> Void
    ) -> Guarantee<T> { get(on: queue, flags: nil, body) }
}
