import Dispatch

// The same as for promises, which have the complete documentation, but without a way to fail.
extension Guarantee where T: Sequence {
    /// Transforms each element with a closure.
    public func mapValues<U: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (T.Element) -> U
    ) -> Guarantee<[U]> { map(on: queue, flags: flags) { $0.map(transform) } }

    /// Maps each element to one of its properties.
    public func mapValues<U: Sendable>(_ keyPath: KeyPath<T.Element, U> & Sendable) -> Guarantee<[U]> {
        map(on: nil) { $0.map { $0[keyPath: keyPath] } }
    }

    /// Transforms each element into a sequence, and concatenates the results.
    public func flatMapValues<U: Sequence & Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (T.Element) -> U
    ) -> Guarantee<[U.Element]> where U.Element: Sendable { map(on: queue, flags: flags) { $0.flatMap(transform) } }

    /// Transforms each element, leaving out nil results.
    public func compactMapValues<U: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (T.Element) -> U?
    ) -> Guarantee<[U]> { map(on: queue, flags: flags) { $0.compactMap(transform) } }

    /// Maps each element to one of its properties, leaving out nil.
    public func compactMapValues<U: Sendable>(_ keyPath: KeyPath<T.Element, U?> & Sendable) -> Guarantee<[U]> {
        map(on: nil) { $0.compactMap { $0[keyPath: keyPath] } }
    }

    /// Creates a guarantee from each element, and waits for all of them. The values are in the order of the elements.
    public func thenMap<U: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (T.Element) -> Guarantee<U>
    ) -> Guarantee<[U]> { then(on: queue, flags: flags) { when(guarantees: $0.map(transform)) } }

    /// Creates a guarantee from each element, waits for all of them, and concatenates their values.
    public func thenFlatMap<U: Sequence & Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (T.Element) -> Guarantee<U>
    ) -> Guarantee<[U.Element]> where U.Element: Sendable {
        thenMap(on: queue, flags: flags, transform).map(on: nil) { $0.flatMap { $0 } }
    }

    /// Keeps the elements for which `isIncluded` returns true.
    public func filterValues(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ isIncluded: @escaping @Sendable (T.Element) -> Bool
    ) -> Guarantee<[T.Element]> where T.Element: Sendable { map(on: queue, flags: flags) { $0.filter(isIncluded) } }

    /// Keeps the elements for which a property is true.
    public func filterValues(_ keyPath: KeyPath<T.Element, Bool> & Sendable) -> Guarantee<[T.Element]>
    where T.Element: Sendable {
        map(on: nil) { $0.filter { $0[keyPath: keyPath] } }
    }
}

extension Guarantee where T: Sequence, T.Element: Comparable & Sendable {
    /// Sorts the elements in ascending order.
    public func sortedValues(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil
    ) -> Guarantee<[T.Element]> { map(on: queue, flags: flags) { $0.sorted() } }
}
