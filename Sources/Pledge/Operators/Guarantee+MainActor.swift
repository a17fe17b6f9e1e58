// As for promises, but without a way to fail.
extension Guarantee {
    /// Turns the value into another on the main actor.
    public func map<U: Sendable>(
        on actor: MainActor, _ transform: @escaping @MainActor @Sendable (T) -> U
    ) -> Guarantee<U> { map(on: .main, isolated(transform)) }

    /// Continues with another guarantee, made from the value on the main actor.
    @discardableResult public func then<U: Sendable>(
        on actor: MainActor, _ body: @escaping @MainActor @Sendable (T) -> Guarantee<U>
    ) -> Guarantee<U> { then(on: .main, isolated(body)) }

    /// Uses the value on the main actor.
    @discardableResult public func done(
        on actor: MainActor, _ body: @escaping @MainActor @Sendable (T) -> Void
    ) -> Guarantee<Void> { done(on: .main, isolated(body)) }

    /// Looks at the value on the main actor as it passes by.
    public func get(
        on actor: MainActor, _ body: @escaping @MainActor @Sendable (T) -> Void
    ) -> Guarantee<T> { get(on: .main, isolated(body)) }
}

extension Guarantee where T: Sequence, T.Element: Sendable {
    /// Turns each element into another on the main actor.
    public func mapValues<U: Sendable>(
        on actor: MainActor, _ transform: @escaping @MainActor @Sendable (T.Element) -> U
    ) -> Guarantee<[U]> { mapValues(on: .main, isolated(transform)) }

    /// Turns each element into several on the main actor, and joins them.
    public func flatMapValues<U: Sequence & Sendable>(
        on actor: MainActor, _ transform: @escaping @MainActor @Sendable (T.Element) -> U
    ) -> Guarantee<[U.Element]> where U.Element: Sendable { flatMapValues(on: .main, isolated(transform)) }

    /// Turns each element into another on the main actor, leaving out nil.
    public func compactMapValues<U: Sendable>(
        on actor: MainActor, _ transform: @escaping @MainActor @Sendable (T.Element) -> U?
    ) -> Guarantee<[U]> { compactMapValues(on: .main, isolated(transform)) }

    /// Makes a guarantee from each element on the main actor, and waits for all.
    public func thenMap<U: Sendable>(
        on actor: MainActor, _ transform: @escaping @MainActor @Sendable (T.Element) -> Guarantee<U>
    ) -> Guarantee<[U]> { thenMap(on: .main, isolated(transform)) }

    /// Makes a guarantee from each element on the main actor, waits for all, and joins their lists.
    public func thenFlatMap<U: Sequence & Sendable>(
        on actor: MainActor, _ transform: @escaping @MainActor @Sendable (T.Element) -> Guarantee<U>
    ) -> Guarantee<[U.Element]> where U.Element: Sendable { thenFlatMap(on: .main, isolated(transform)) }

    /// The elements for which `isIncluded`, asked on the main actor, is true.
    public func filterValues(
        on actor: MainActor, _ isIncluded: @escaping @MainActor @Sendable (T.Element) -> Bool
    ) -> Guarantee<[T.Element]> { filterValues(on: .main, isolated(isIncluded)) }
}
