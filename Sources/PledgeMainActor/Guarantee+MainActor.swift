// The same as for promises, but without a way to fail.
extension Guarantee {
    /// Transforms the value on the main actor.
    public func map<U: Sendable>(
        _ onMainActor: @escaping @MainActor @Sendable (T) -> U
    ) -> Guarantee<U> { map(on: MainActor.shared, onMainActor) }

    /// Continues with the guarantee that a closure returns for the value on the main actor.
    @discardableResult public func then<V, U: Unfailing<V>>(
        _ onMainActor: @escaping @MainActor @Sendable (T) -> U
    ) -> Guarantee<V> { then(on: MainActor.shared, onMainActor) }

    /// Calls a closure with the value on the main actor, at the end of a chain.
    @discardableResult public func done(
        _ onMainActor: @escaping @MainActor @Sendable (T) -> Void
    ) -> Guarantee<Void> { done(on: MainActor.shared, onMainActor) }

    /// Calls a closure with the value on the main actor, then passes the value on.
    public func get(
        _ onMainActor: @escaping @MainActor @Sendable (T) -> Void
    ) -> Guarantee<T> { get(on: MainActor.shared, onMainActor) }
}

extension Guarantee {
    /// Transforms each element on the main actor.
    public func mapValues<E: Sendable, U: Sendable>(
        _ onMainActor: @escaping @MainActor @Sendable (E) -> U
    ) -> Guarantee<[U]> where T: Sequence<E> { mapValues(on: MainActor.shared, onMainActor) }

    /// Transforms each element into a sequence on the main actor, and concatenates the results.
    public func flatMapValues<E: Sendable, U: Sequence & Sendable>(
        _ onMainActor: @escaping @MainActor @Sendable (E) -> U
    ) -> Guarantee<[U.Element]> where T: Sequence<E>, U.Element: Sendable {
        flatMapValues(on: MainActor.shared, onMainActor)
    }

    /// Transforms each element on the main actor, leaving out nil results.
    public func compactMapValues<E: Sendable, U: Sendable>(
        _ onMainActor: @escaping @MainActor @Sendable (E) -> U?
    ) -> Guarantee<[U]> where T: Sequence<E> { compactMapValues(on: MainActor.shared, onMainActor) }

    /// Creates a guarantee from each element on the main actor, and waits for all of them.
    public func thenMap<E: Sendable, V, U: Unfailing<V>>(
        _ onMainActor: @escaping @MainActor @Sendable (E) -> U
    ) -> Guarantee<[V]> where T: Sequence<E> { thenMap(on: MainActor.shared, onMainActor) }

    /// Creates a guarantee from each element on the main actor, waits for all of them, and concatenates their values.
    public func thenFlatMap<E: Sendable, V: Sequence, U: Unfailing<V>>(
        _ onMainActor: @escaping @MainActor @Sendable (E) -> U
    ) -> Guarantee<[V.Element]> where T: Sequence<E>, V.Element: Sendable {
        thenFlatMap(on: MainActor.shared, onMainActor)
    }

    /// Keeps the elements for which a closure, called on the main actor, returns true.
    public func filterValues<E: Sendable>(
        _ onMainActor: @escaping @MainActor @Sendable (E) -> Bool
    ) -> Guarantee<[E]> where T: Sequence<E> { filterValues(on: MainActor.shared, onMainActor) }
}
