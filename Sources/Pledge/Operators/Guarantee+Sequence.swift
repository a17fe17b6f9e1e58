import Dispatch

// The same as for promises, which have the complete documentation, but without a way to fail.
extension Guarantee {
    /// Transforms each element with a closure.
    @_disfavoredOverload public func mapValues<E, U: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (E) -> U
    ) -> Guarantee<[U]> where T: Sequence<E> { map(on: queue, flags: flags) { $0.map(transform) } }

    /// Transforms each element into a sequence, and concatenates the results.
    @_disfavoredOverload public func flatMapValues<E, U: Sequence & Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (E) -> U
    ) -> Guarantee<[U.Element]> where T: Sequence<E>, U.Element: Sendable {
        map(on: queue, flags: flags) { $0.flatMap(transform) }
    }

    /// Transforms each element, leaving out nil results.
    @_disfavoredOverload public func compactMapValues<E, U: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (E) -> U?
    ) -> Guarantee<[U]> where T: Sequence<E> { map(on: queue, flags: flags) { $0.compactMap(transform) } }

    /// Creates a guarantee from each element, and waits for all of them. The values are in the order of the elements.
    @_disfavoredOverload public func thenMap<E, V, U: Unfailing<V>>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (E) -> U
    ) -> Guarantee<[V]> where T: Sequence<E> {
        then(on: queue, flags: flags) { Guarantee<[V]>(_unfailing: when(fulfilled: $0.map(transform))) }
    }

    /// Creates a guarantee from each element, waits for all of them, and concatenates their values.
    @_disfavoredOverload public func thenFlatMap<E, V: Sequence, U: Unfailing<V>>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (E) -> U
    ) -> Guarantee<[V.Element]> where T: Sequence<E>, V.Element: Sendable {
        thenMap(on: queue, flags: flags, transform).map(on: nil) { $0.flatMap { $0 } }
    }

    /// Keeps the elements for which `isIncluded` returns true.
    @_disfavoredOverload public func filterValues<E: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ isIncluded: @escaping @Sendable (E) -> Bool
    ) -> Guarantee<[E]> where T: Sequence<E> { map(on: queue, flags: flags) { $0.filter(isIncluded) } }
}

extension Guarantee where T: Sequence, T.Element: Comparable & Sendable {
    /// Sorts the elements in ascending order.
    @_disfavoredOverload public func sortedValues(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil
    ) -> Guarantee<[T.Element]> { map(on: queue, flags: flags) { $0.sorted() } }
}
