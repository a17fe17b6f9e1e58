import Dispatch

// Handlers for elements of a list: see PledgePromiseKit.swift for how they differ from Pledge's.
extension Thenable where T: Sequence {
    /// Transforms each element of the list.
    @preconcurrency
    public func mapValues<U: Sendable>(
        on queue: DispatchQueue? = conf.Q.map,
        _ body: @escaping @Sendable (T.Element) throws -> U
    ) -> Promise<[U]> { mapValues(on: queue, flags: nil, body) }

    /// Transforms each element into a sequence and concatenates the results.
    @preconcurrency
    public func flatMapValues<U: Sequence & Sendable>(
        on queue: DispatchQueue? = conf.Q.map,
        _ body: @escaping @Sendable (T.Element) throws -> U
    ) -> Promise<[U.Element]> where U.Element: Sendable { flatMapValues(on: queue, flags: nil, body) }

    /// Transforms each element, omitting nil results.
    @preconcurrency
    public func compactMapValues<U: Sendable>(
        on queue: DispatchQueue? = conf.Q.map,
        _ body: @escaping @Sendable (T.Element) throws -> U?
    ) -> Promise<[U]> { compactMapValues(on: queue, flags: nil, body) }

    /// Creates a promise from each element and waits for all of them.
    @preconcurrency
    public func thenMap<U: Thenable>(
        on queue: DispatchQueue? = conf.Q.map,
        _ body: @escaping @Sendable (T.Element) throws -> U
    ) -> Promise<[U.T]> { thenMap(on: queue, flags: nil, body) }

    /// Creates a promise from each element, waits for all of them, and concatenates their lists.
    @preconcurrency
    public func thenFlatMap<U: Thenable>(
        on queue: DispatchQueue? = conf.Q.map,
        _ body: @escaping @Sendable (T.Element) throws -> U
    ) -> Promise<[U.T.Element]> where U.T: Sequence, U.T.Element: Sendable { thenFlatMap(on: queue, flags: nil, body) }

    /// Keeps the elements for which `body` returns true.
    @preconcurrency
    public func filterValues(
        on queue: DispatchQueue? = conf.Q.map,
        _ body: @escaping @Sendable (T.Element) -> Bool
    ) -> Promise<[T.Element]> where T.Element: Sendable { filterValues(on: queue, flags: nil, body) }
}

extension Thenable where T: Collection, T.Element: Sendable {
    /// Returns the first element for which `body` returns true.
    @preconcurrency
    public func firstValue(
        on queue: DispatchQueue? = conf.Q.map,
        where body: @escaping @Sendable (T.Element) -> Bool
    ) -> Promise<T.Element> { firstValue(on: queue, flags: nil, where: body) }
}

extension Guarantee where T: Sequence {
    /// Transforms each element of the list.
    @preconcurrency
    public func mapValues<U: Sendable>(
        on queue: DispatchQueue? = conf.Q.map,
        _ body: @escaping @Sendable (T.Element) -> U
    ) -> Guarantee<[U]> { mapValues(on: queue, flags: nil, body) }

    /// Transforms each element into a sequence and concatenates the results.
    @preconcurrency
    public func flatMapValues<U: Sequence & Sendable>(
        on queue: DispatchQueue? = conf.Q.map,
        _ body: @escaping @Sendable (T.Element) -> U
    ) -> Guarantee<[U.Element]> where U.Element: Sendable { flatMapValues(on: queue, flags: nil, body) }

    /// Transforms each element, omitting nil results.
    @preconcurrency
    public func compactMapValues<U: Sendable>(
        on queue: DispatchQueue? = conf.Q.map,
        _ body: @escaping @Sendable (T.Element) -> U?
    ) -> Guarantee<[U]> { compactMapValues(on: queue, flags: nil, body) }

    /// Creates a guarantee from each element and waits for all of them.
    @preconcurrency
    public func thenMap<U: Sendable>(
        on queue: DispatchQueue? = conf.Q.map,
        _ body: @escaping @Sendable (T.Element) -> Guarantee<U>
    ) -> Guarantee<[U]> { thenMap(on: queue, flags: nil, body) }

    /// Creates a guarantee from each element, waits for all of them, and concatenates their lists.
    @preconcurrency
    public func thenFlatMap<U: Sequence & Sendable>(
        on queue: DispatchQueue? = conf.Q.map,
        _ body: @escaping @Sendable (T.Element) -> Guarantee<U>
    ) -> Guarantee<[U.Element]> where U.Element: Sendable { thenFlatMap(on: queue, flags: nil, body) }

    /// Keeps the elements for which `body` returns true.
    @preconcurrency
    public func filterValues(
        on queue: DispatchQueue? = conf.Q.map,
        _ body: @escaping @Sendable (T.Element) -> Bool
    ) -> Guarantee<[T.Element]> where T.Element: Sendable { filterValues(on: queue, flags: nil, body) }

    /// Sorts the elements with a closure that returns whether the first of two precedes the second.
    @preconcurrency
    public func sortedValues(
        on queue: DispatchQueue? = conf.Q.map,
        _ areInIncreasingOrder: @escaping @Sendable (T.Element, T.Element) -> Bool
    ) -> Guarantee<[T.Element]> where T.Element: Sendable {
        map(on: queue, flags: nil) { $0.sorted(by: areInIncreasingOrder) }
    }
}
