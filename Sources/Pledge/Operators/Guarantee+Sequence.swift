import Dispatch

// As for promises, but without a way to fail.
extension Guarantee where T: Sequence {
    /// Turns each element into another.
    ///
    /// - Parameters:
    ///   - queue: the queue `transform` runs on; nil for right where the guarantee settles.
    ///   - flags: how it is put on that queue.
    ///   - transform: returns the new element.
    public func mapValues<U: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (T.Element) -> U
    ) -> Guarantee<[U]> {
        map(on: queue, flags: flags) { $0.map(transform) }
    }

    /// A property of each element.
    ///
    /// - Parameter keyPath: which.
    public func mapValues<U: Sendable>(_ keyPath: KeyPath<T.Element, U> & Sendable) -> Guarantee<[U]> {
        map(on: nil) { $0.map { $0[keyPath: keyPath] } }
    }

    /// Turns each element into several, and joins them.
    ///
    /// - Parameters:
    ///   - queue: the queue `transform` runs on; nil for right where the guarantee settles.
    ///   - flags: how it is put on that queue.
    ///   - transform: returns the new elements.
    public func flatMapValues<U: Sequence & Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (T.Element) -> U
    ) -> Guarantee<[U.Element]> where U.Element: Sendable {
        map(on: queue, flags: flags) { $0.flatMap(transform) }
    }

    /// Turns each element into another, leaving out nil.
    ///
    /// - Parameters:
    ///   - queue: the queue `transform` runs on; nil for right where the guarantee settles.
    ///   - flags: how it is put on that queue.
    ///   - transform: returns the new element or nil.
    public func compactMapValues<U: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (T.Element) -> U?
    ) -> Guarantee<[U]> {
        map(on: queue, flags: flags) { $0.compactMap(transform) }
    }

    /// A property of each element, leaving out nil.
    ///
    /// - Parameter keyPath: which.
    public func compactMapValues<U: Sendable>(_ keyPath: KeyPath<T.Element, U?> & Sendable) -> Guarantee<[U]> {
        map(on: nil) { $0.compactMap { $0[keyPath: keyPath] } }
    }

    /// Makes a guarantee from each element, and waits for all.
    ///
    /// - Parameters:
    ///   - queue: the queue `transform` runs on; nil for right where the guarantee settles.
    ///   - flags: how it is put on that queue.
    ///   - transform: returns a guarantee.
    /// - Returns: a guarantee of the values, in the order of the elements.
    public func thenMap<U: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (T.Element) -> Guarantee<U>
    ) -> Guarantee<[U]> {
        then(on: queue, flags: flags) { when(guarantees: $0.map(transform)) }
    }

    /// Makes a guarantee from each element, waits for all, and joins their lists.
    ///
    /// - Parameters:
    ///   - queue: the queue `transform` runs on; nil for right where the guarantee settles.
    ///   - flags: how it is put on that queue.
    ///   - transform: returns a guarantee.
    public func thenFlatMap<U: Sequence & Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (T.Element) -> Guarantee<U>
    ) -> Guarantee<[U.Element]> where U.Element: Sendable {
        thenMap(on: queue, flags: flags, transform).map(on: nil) { $0.flatMap { $0 } }
    }

    /// The elements for which `isIncluded` is true.
    ///
    /// - Parameters:
    ///   - queue: the queue `isIncluded` runs on; nil for right where the guarantee settles.
    ///   - flags: how it is put on that queue.
    ///   - isIncluded: says which to keep.
    public func filterValues(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ isIncluded: @escaping @Sendable (T.Element) -> Bool
    ) -> Guarantee<[T.Element]> where T.Element: Sendable {
        map(on: queue, flags: flags) { $0.filter(isIncluded) }
    }

    /// The elements of which this property is true.
    ///
    /// - Parameter keyPath: which.
    public func filterValues(_ keyPath: KeyPath<T.Element, Bool> & Sendable) -> Guarantee<[T.Element]>
    where T.Element: Sendable {
        map(on: nil) { $0.filter { $0[keyPath: keyPath] } }
    }
}

extension Guarantee where T: Sequence, T.Element: Comparable & Sendable {
    /// The elements, smallest first.
    ///
    /// - Parameters:
    ///   - queue: the queue it is done on; nil for right where the guarantee settles.
    ///   - flags: how it is put on that queue.
    public func sortedValues(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil
    ) -> Guarantee<[T.Element]> {
        map(on: queue, flags: flags) { $0.sorted() }
    }
}
