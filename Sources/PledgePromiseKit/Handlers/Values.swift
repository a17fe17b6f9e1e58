import Dispatch

// Handlers for values: see PledgePromiseKit.swift for how they differ from Pledge's.
@_spi(PromiseKit) extension Thenable {
    /// Continues the chain with another promise, created from the value.
    @preconcurrency public func then<V, U: Thenable<V>>(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (T) throws -> U
    ) -> Promise<V> { then(on: queue, flags: nil, body) }

    /// Transforms the value into another.
    @preconcurrency public func map<U: Sendable>(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (T) throws -> U
    ) -> Promise<U> { map(on: queue, flags: nil, body) }

    /// Transforms the value, or rejects with ``PMKError/compactMap(_:_:)`` if the result is nil.
    @preconcurrency public func compactMap<U: Sendable>(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (T) throws -> U?
    ) -> Promise<U> {
        map(on: queue, flags: nil) { value in
            guard let found = try body(value) else { throw PMKError.compactMap(value, U.self) }
            return found
        }
    }

    /// Handles the value at the end of a chain.
    @preconcurrency public func done(
        on queue: DispatchQueue? = conf.Q.return, _ body: @escaping @Sendable (T) throws -> Void
    ) -> Promise<Void> { done(on: queue, flags: nil, body) }

    /// Observes the value without changing it.
    @preconcurrency public func get(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (T) throws -> Void
    ) -> Promise<T> { get(on: queue, flags: nil, body) }

    /// Observes the outcome without changing it.
    @preconcurrency public func tap(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (Result<T>) -> Void
    ) -> Promise<T> { tap(on: queue, flags: nil) { body(Result($0)) } }
}

@_spi(PromiseKit) extension Unfailing {
    /// Continues the chain with another guarantee, created from the value.
    @preconcurrency @discardableResult public func then<V, U: Unfailing<V>>(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (T) -> U
    ) -> Guarantee<V> { guarantee.then(on: queue, flags: nil, body) }

    /// Transforms the value into another.
    @preconcurrency public func map<U: Sendable>(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (T) -> U
    ) -> Guarantee<U> { guarantee.map(on: queue, flags: nil, body) }

    /// Handles the value at the end of a chain.
    @preconcurrency @discardableResult public func done(
        on queue: DispatchQueue? = conf.Q.return, _ body: @escaping @Sendable (T) -> Void
    ) -> Guarantee<Void> { guarantee.done(on: queue, flags: nil, body) }

    /// Observes the value without changing it.
    @preconcurrency public func get(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (T) -> Void
    ) -> Guarantee<T> { guarantee.get(on: queue, flags: nil, body) }
}

extension Unfailing {
    // On the protocol: a type's own handler would count its value, perhaps not Sendable in Swift 5, and lose to
    // `Promise`'s.
    var guarantee: Guarantee<T> { Guarantee(_unfailing: _promise) }
}
