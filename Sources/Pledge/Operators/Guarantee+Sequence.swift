import Dispatch

// As for promises, which have the rest of what there is to say, but without a way to fail.
extension Guarantee where T: Sequence {
    /// Turns each element into another.
    public func mapValues<U: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (T.Element) -> U
    ) -> Guarantee<[U]> { map(on: queue, flags: flags) { $0.map(transform) } }

    /// A property of each element.
    public func mapValues<U: Sendable>(_ keyPath: KeyPath<T.Element, U> & Sendable) -> Guarantee<[U]> {
        map(on: nil) { $0.map { $0[keyPath: keyPath] } }
    }

    /// Turns each element into several, and joins them.
    public func flatMapValues<U: Sequence & Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (T.Element) -> U
    ) -> Guarantee<[U.Element]> where U.Element: Sendable { map(on: queue, flags: flags) { $0.flatMap(transform) } }

    /// Turns each element into another, leaving out nil.
    public func compactMapValues<U: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (T.Element) -> U?
    ) -> Guarantee<[U]> { map(on: queue, flags: flags) { $0.compactMap(transform) } }

    /// A property of each element, leaving out nil.
    public func compactMapValues<U: Sendable>(_ keyPath: KeyPath<T.Element, U?> & Sendable) -> Guarantee<[U]> {
        map(on: nil) { $0.compactMap { $0[keyPath: keyPath] } }
    }

    /// Makes a guarantee from each element, and waits for all their values, in the order of the elements.
    public func thenMap<U: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (T.Element) -> Guarantee<U>
    ) -> Guarantee<[U]> { then(on: queue, flags: flags) { when(guarantees: $0.map(transform)) } }

    /// Makes a guarantee from each element, waits for all, and joins their lists.
    public func thenFlatMap<U: Sequence & Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (T.Element) -> Guarantee<U>
    ) -> Guarantee<[U.Element]> where U.Element: Sendable {
        thenMap(on: queue, flags: flags, transform).map(on: nil) { $0.flatMap { $0 } }
    }

    /// The elements for which `isIncluded` is true.
    public func filterValues(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ isIncluded: @escaping @Sendable (T.Element) -> Bool
    ) -> Guarantee<[T.Element]> where T.Element: Sendable { map(on: queue, flags: flags) { $0.filter(isIncluded) } }

    /// The elements of which this property is true.
    public func filterValues(_ keyPath: KeyPath<T.Element, Bool> & Sendable) -> Guarantee<[T.Element]>
    where T.Element: Sendable {
        map(on: nil) { $0.filter { $0[keyPath: keyPath] } }
    }
}

extension Guarantee where T: Sequence, T.Element: Comparable & Sendable {
    /// The elements, smallest first.
    public func sortedValues(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil
    ) -> Guarantee<[T.Element]> { map(on: queue, flags: flags) { $0.sorted() } }
}
