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

// Handlers for elements of a list: see PledgePromiseKit.swift for how they differ from Pledge's.
@_spi(PromiseKit) extension Thenable {
    /// Transforms each element of the list.
    @preconcurrency public func mapValues<E, U: Sendable>(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (E) throws -> U
    ) -> Promise<[U]> where T: Sequence<E> { mapValues(on: queue, flags: nil, body) }

    /// Transforms each element into a sequence and concatenates the results.
    @preconcurrency public func flatMapValues<E, U: Sequence & Sendable>(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (E) throws -> U
    ) -> Promise<[U.Element]> where T: Sequence<E>, U.Element: Sendable { flatMapValues(on: queue, flags: nil, body) }

    /// Transforms each element, omitting nil results.
    @preconcurrency public func compactMapValues<E, U: Sendable>(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (E) throws -> U?
    ) -> Promise<[U]> where T: Sequence<E> { compactMapValues(on: queue, flags: nil, body) }

    /// Creates a promise from each element and waits for all of them.
    @preconcurrency public func thenMap<E, V, U: Thenable<V>>(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (E) throws -> U
    ) -> Promise<[V]> where T: Sequence<E> { thenMap(on: queue, flags: nil, body) }

    /// Creates a promise from each element, waits for all of them, and concatenates their lists.
    @preconcurrency public func thenFlatMap<E, V, U: Thenable<V>>(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (E) throws -> U
    ) -> Promise<[V.Element]> where T: Sequence<E>, V: Sequence, V.Element: Sendable {
        thenFlatMap(on: queue, flags: nil, body)
    }

    /// Keeps the elements for which `body` returns true.
    @preconcurrency public func filterValues<E: Sendable>(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (E) -> Bool
    ) -> Promise<[E]> where T: Sequence<E> { filterValues(on: queue, flags: nil, body) }
}

@_spi(PromiseKit) extension Thenable {
    /// Returns the first element for which `body` returns true.
    @preconcurrency public func firstValue<E: Sendable>(
        on queue: DispatchQueue? = conf.Q.map, where body: @escaping @Sendable (E) -> Bool
    ) -> Promise<E> where T: Collection<E> { firstValue(on: queue, flags: nil, where: body) }
}

@_spi(PromiseKit) extension Unfailing {
    /// Transforms each element of the list.
    @preconcurrency public func mapValues<E, U: Sendable>(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (E) -> U
    ) -> Guarantee<[U]> where T: Sequence<E> { guarantee.mapValues(on: queue, flags: nil, body) }

    /// Transforms each element into a sequence and concatenates the results.
    @preconcurrency public func flatMapValues<E, U: Sequence & Sendable>(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (E) -> U
    ) -> Guarantee<[U.Element]> where T: Sequence<E>, U.Element: Sendable {
        guarantee.flatMapValues(on: queue, flags: nil, body)
    }

    /// Transforms each element, omitting nil results.
    @preconcurrency public func compactMapValues<E, U: Sendable>(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (E) -> U?
    ) -> Guarantee<[U]> where T: Sequence<E> { guarantee.compactMapValues(on: queue, flags: nil, body) }

    /// Creates a guarantee from each element and waits for all of them.
    @preconcurrency public func thenMap<E, V, U: Unfailing<V>>(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (E) -> U
    ) -> Guarantee<[V]> where T: Sequence<E> { guarantee.thenMap(on: queue, flags: nil, body) }

    /// Creates a guarantee from each element, waits for all of them, and concatenates their lists.
    @preconcurrency public func thenFlatMap<E, V: Sequence, U: Unfailing<V>>(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (E) -> U
    ) -> Guarantee<[V.Element]> where T: Sequence<E>, V.Element: Sendable {
        guarantee.thenFlatMap(on: queue, flags: nil, body)
    }

    /// Keeps the elements for which `body` returns true.
    @preconcurrency public func filterValues<E: Sendable>(
        on queue: DispatchQueue? = conf.Q.map, _ body: @escaping @Sendable (E) -> Bool
    ) -> Guarantee<[E]> where T: Sequence<E> { guarantee.filterValues(on: queue, flags: nil, body) }

    /// Sorts the elements with a closure that returns whether the first of two precedes the second.
    @preconcurrency public func sortedValues<E: Sendable>(
        on queue: DispatchQueue? = conf.Q.map, _ areInIncreasingOrder: @escaping @Sendable (E, E) -> Bool
    ) -> Guarantee<[E]> where T: Sequence<E> {
        guarantee.map(on: queue, flags: nil) { $0.sorted(by: areInIncreasingOrder) }
    }
}

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
