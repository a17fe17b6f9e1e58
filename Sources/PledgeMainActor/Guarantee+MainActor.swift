// The same as for promises, but without a way to fail.
extension Guarantee {
    /// Transforms the value on the main actor.
    public func map<U: Sendable>(
        _ transform: @escaping @MainActor @Sendable (T) -> U
    ) -> Guarantee<U> { map(on: MainActor.shared, transform) }

    /// Continues with the guarantee that `body` returns for the value on the main actor.
    @discardableResult public func then<V, U: Unfailing<V>>(
        _ body: @escaping @MainActor @Sendable (T) -> U
    ) -> Guarantee<V> { then(on: MainActor.shared, body) }

    /// Calls `body` with the value on the main actor, at the end of a chain.
    @discardableResult public func done(
        _ body: @escaping @MainActor @Sendable (T) -> Void
    ) -> Guarantee<Void> { done(on: MainActor.shared, body) }

    /// Calls `body` with the value on the main actor, then passes the value on.
    public func get(
        _ body: @escaping @MainActor @Sendable (T) -> Void
    ) -> Guarantee<T> { get(on: MainActor.shared, body) }
}

extension Guarantee {
    /// Transforms each element on the main actor.
    public func mapValues<E: Sendable, U: Sendable>(
        _ transform: @escaping @MainActor @Sendable (E) -> U
    ) -> Guarantee<[U]> where T: Sequence<E> { mapValues(on: MainActor.shared, transform) }

    /// Transforms each element into a sequence on the main actor, and concatenates the results.
    public func flatMapValues<E: Sendable, U: Sequence & Sendable>(
        _ transform: @escaping @MainActor @Sendable (E) -> U
    ) -> Guarantee<[U.Element]> where T: Sequence<E>, U.Element: Sendable {
        flatMapValues(on: MainActor.shared, transform)
    }

    /// Transforms each element on the main actor, leaving out nil results.
    public func compactMapValues<E: Sendable, U: Sendable>(
        _ transform: @escaping @MainActor @Sendable (E) -> U?
    ) -> Guarantee<[U]> where T: Sequence<E> { compactMapValues(on: MainActor.shared, transform) }

    /// Creates a guarantee from each element on the main actor, and waits for all of them.
    public func thenMap<E: Sendable, V, U: Unfailing<V>>(
        _ transform: @escaping @MainActor @Sendable (E) -> U
    ) -> Guarantee<[V]> where T: Sequence<E> { thenMap(on: MainActor.shared, transform) }

    /// Creates a guarantee from each element on the main actor, waits for all of them, and concatenates their values.
    public func thenFlatMap<E: Sendable, V: Sequence, U: Unfailing<V>>(
        _ transform: @escaping @MainActor @Sendable (E) -> U
    ) -> Guarantee<[V.Element]> where T: Sequence<E>, V.Element: Sendable {
        thenFlatMap(on: MainActor.shared, transform)
    }

    /// Keeps the elements for which `isIncluded`, called on the main actor, returns true.
    public func filterValues<E: Sendable>(
        _ isIncluded: @escaping @MainActor @Sendable (E) -> Bool
    ) -> Guarantee<[E]> where T: Sequence<E> { filterValues(on: MainActor.shared, isIncluded) }
}
