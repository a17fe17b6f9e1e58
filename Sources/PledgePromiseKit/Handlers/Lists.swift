import Dispatch

// Handlers of what is in a list: see PledgePromiseKit.swift for what they have that Pledge's have not.
extension Thenable where T: Sequence {
    /// Turns each element into another.
    @preconcurrency
    public func mapValues<U: Sendable>(
        on queue: DispatchQueue? = conf.Q.map,
        _ body: @escaping @Sendable (T.Element) throws -> U
    ) -> Promise<[U]> { mapValues(on: queue, flags: nil, body) }

    /// Turns each element into several, and joins them.
    @preconcurrency
    public func flatMapValues<U: Sequence & Sendable>(
        on queue: DispatchQueue? = conf.Q.map,
        _ body: @escaping @Sendable (T.Element) throws -> U
    ) -> Promise<[U.Element]> where U.Element: Sendable { flatMapValues(on: queue, flags: nil, body) }

    /// Turns each element into another, leaving out nil.
    @preconcurrency
    public func compactMapValues<U: Sendable>(
        on queue: DispatchQueue? = conf.Q.map,
        _ body: @escaping @Sendable (T.Element) throws -> U?
    ) -> Promise<[U]> { compactMapValues(on: queue, flags: nil, body) }

    /// Makes a promise from each element, and waits for all.
    @preconcurrency
    public func thenMap<U: Thenable>(
        on queue: DispatchQueue? = conf.Q.map,
        _ body: @escaping @Sendable (T.Element) throws -> U
    ) -> Promise<[U.T]> { thenMap(on: queue, flags: nil, body) }

    /// Makes a promise from each element, waits for all, and joins their lists.
    @preconcurrency
    public func thenFlatMap<U: Thenable>(
        on queue: DispatchQueue? = conf.Q.map,
        _ body: @escaping @Sendable (T.Element) throws -> U
    ) -> Promise<[U.T.Element]> where U.T: Sequence, U.T.Element: Sendable { thenFlatMap(on: queue, flags: nil, body) }

    /// The elements for which `body` is true.
    @preconcurrency
    public func filterValues(
        on queue: DispatchQueue? = conf.Q.map,
        _ body: @escaping @Sendable (T.Element) -> Bool
    ) -> Promise<[T.Element]> where T.Element: Sendable { filterValues(on: queue, flags: nil, body) }
}

extension Thenable where T: Collection, T.Element: Sendable {
    /// The first element for which `body` is true.
    @preconcurrency
    public func firstValue(
        on queue: DispatchQueue? = conf.Q.map,
        where body: @escaping @Sendable (T.Element) -> Bool
    ) -> Promise<T.Element> { firstValue(on: queue, flags: nil, where: body) }
}

extension Guarantee where T: Sequence {
    /// Turns each element into another.
    @preconcurrency
    public func mapValues<U: Sendable>(
        on queue: DispatchQueue? = conf.Q.map,
        _ body: @escaping @Sendable (T.Element) -> U
    ) -> Guarantee<[U]> { mapValues(on: queue, flags: nil, body) }

    /// Turns each element into several, and joins them.
    @preconcurrency
    public func flatMapValues<U: Sequence & Sendable>(
        on queue: DispatchQueue? = conf.Q.map,
        _ body: @escaping @Sendable (T.Element) -> U
    ) -> Guarantee<[U.Element]> where U.Element: Sendable { flatMapValues(on: queue, flags: nil, body) }

    /// Turns each element into another, leaving out nil.
    @preconcurrency
    public func compactMapValues<U: Sendable>(
        on queue: DispatchQueue? = conf.Q.map,
        _ body: @escaping @Sendable (T.Element) -> U?
    ) -> Guarantee<[U]> { compactMapValues(on: queue, flags: nil, body) }

    /// Makes a guarantee from each element, and waits for all.
    @preconcurrency
    public func thenMap<U: Sendable>(
        on queue: DispatchQueue? = conf.Q.map,
        _ body: @escaping @Sendable (T.Element) -> Guarantee<U>
    ) -> Guarantee<[U]> { thenMap(on: queue, flags: nil, body) }

    /// Makes a guarantee from each element, waits for all, and joins their lists.
    @preconcurrency
    public func thenFlatMap<U: Sequence & Sendable>(
        on queue: DispatchQueue? = conf.Q.map,
        _ body: @escaping @Sendable (T.Element) -> Guarantee<U>
    ) -> Guarantee<[U.Element]> where U.Element: Sendable { thenFlatMap(on: queue, flags: nil, body) }

    /// The elements for which `body` is true.
    @preconcurrency
    public func filterValues(
        on queue: DispatchQueue? = conf.Q.map,
        _ body: @escaping @Sendable (T.Element) -> Bool
    ) -> Guarantee<[T.Element]> where T.Element: Sendable { filterValues(on: queue, flags: nil, body) }
}
