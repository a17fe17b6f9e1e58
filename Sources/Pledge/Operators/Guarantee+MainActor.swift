// The same as for promises, but without a way to fail.
extension Guarantee {
    /// Transforms the value on the main actor.
    public func map<U: Sendable>(
        on actor: MainActor, _ transform: @escaping @MainActor @Sendable (T) -> U
    ) -> Guarantee<U> { map(on: .main, isolated(transform)) }

    /// Continues with the guarantee that `body` returns for the value on the main actor.
    @discardableResult public func then<V, U: Unfailing<V>>(
        on actor: MainActor, _ body: @escaping @MainActor @Sendable (T) -> U
    ) -> Guarantee<V> { then(on: .main, isolated(body)) }

    /// Calls `body` with the value on the main actor, at the end of a chain.
    @discardableResult public func done(
        on actor: MainActor, _ body: @escaping @MainActor @Sendable (T) -> Void
    ) -> Guarantee<Void> { done(on: .main, isolated(body)) }

    /// Calls `body` with the value on the main actor, then passes the value on.
    public func get(
        on actor: MainActor, _ body: @escaping @MainActor @Sendable (T) -> Void
    ) -> Guarantee<T> { get(on: .main, isolated(body)) }
}

extension Guarantee where T: Sequence, T.Element: Sendable {
    /// Transforms each element on the main actor.
    public func mapValues<U: Sendable>(
        on actor: MainActor, _ transform: @escaping @MainActor @Sendable (T.Element) -> U
    ) -> Guarantee<[U]> { mapValues(on: .main, isolated(transform)) }

    /// Transforms each element into a sequence on the main actor, and concatenates the results.
    public func flatMapValues<U: Sequence & Sendable>(
        on actor: MainActor, _ transform: @escaping @MainActor @Sendable (T.Element) -> U
    ) -> Guarantee<[U.Element]> where U.Element: Sendable { flatMapValues(on: .main, isolated(transform)) }

    /// Transforms each element on the main actor, leaving out nil results.
    public func compactMapValues<U: Sendable>(
        on actor: MainActor, _ transform: @escaping @MainActor @Sendable (T.Element) -> U?
    ) -> Guarantee<[U]> { compactMapValues(on: .main, isolated(transform)) }

    /// Creates a guarantee from each element on the main actor, and waits for all of them.
    public func thenMap<V, U: Unfailing<V>>(
        on actor: MainActor, _ transform: @escaping @MainActor @Sendable (T.Element) -> U
    ) -> Guarantee<[V]> { thenMap(on: .main, isolated(transform)) }

    /// Creates a guarantee from each element on the main actor, waits for all of them, and concatenates their values.
    public func thenFlatMap<V: Sequence, U: Unfailing<V>>(
        on actor: MainActor, _ transform: @escaping @MainActor @Sendable (T.Element) -> U
    ) -> Guarantee<[V.Element]> where V.Element: Sendable { thenFlatMap(on: .main, isolated(transform)) }

    /// Keeps the elements for which `isIncluded`, called on the main actor, returns true.
    public func filterValues(
        on actor: MainActor, _ isIncluded: @escaping @MainActor @Sendable (T.Element) -> Bool
    ) -> Guarantee<[T.Element]> { filterValues(on: .main, isolated(isIncluded)) }
}
