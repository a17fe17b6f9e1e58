import Dispatch

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
