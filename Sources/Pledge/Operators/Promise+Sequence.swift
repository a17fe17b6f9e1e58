import Dispatch

extension Thenable where T: Sequence {
    /// Turns each element into another.
    ///
    /// - Parameters:
    ///   - queue: the queue `transform` runs on; nil for right where the promise settles.
    ///   - flags: how it is put on that queue.
    ///   - transform: returns the new element; what it throws rejects.
    public func mapValues<U: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (T.Element) throws -> U
    ) -> Promise<[U]> {
        map(on: queue, flags: flags) { try $0.map(transform) }
    }

    /// A property of each element.
    ///
    /// - Parameter keyPath: which.
    public func mapValues<U: Sendable>(_ keyPath: KeyPath<T.Element, U> & Sendable) -> Promise<[U]> {
        map(on: nil) { $0.map { $0[keyPath: keyPath] } }
    }

    /// Turns each element into several, and joins them.
    ///
    /// - Parameters:
    ///   - queue: the queue `transform` runs on; nil for right where the promise settles.
    ///   - flags: how it is put on that queue.
    ///   - transform: returns the new elements; what it throws rejects.
    public func flatMapValues<U: Sequence & Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (T.Element) throws -> U
    ) -> Promise<[U.Element]> where U.Element: Sendable {
        map(on: queue, flags: flags) { try $0.flatMap(transform) }
    }

    /// Turns each element into another, leaving out nil.
    ///
    /// - Parameters:
    ///   - queue: the queue `transform` runs on; nil for right where the promise settles.
    ///   - flags: how it is put on that queue.
    ///   - transform: returns the new element or nil; what it throws rejects.
    public func compactMapValues<U: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (T.Element) throws -> U?
    ) -> Promise<[U]> {
        map(on: queue, flags: flags) { try $0.compactMap(transform) }
    }

    /// A property of each element, leaving out nil.
    ///
    /// - Parameter keyPath: which.
    public func compactMapValues<U: Sendable>(_ keyPath: KeyPath<T.Element, U?> & Sendable) -> Promise<[U]> {
        map(on: nil) { $0.compactMap { $0[keyPath: keyPath] } }
    }

    /// Makes a promise from each element, and waits for all.
    ///
    /// - Parameters:
    ///   - queue: the queue `transform` runs on; nil for right where the promise settles.
    ///   - flags: how it is put on that queue.
    ///   - transform: returns a promise; what it throws rejects.
    /// - Returns: a promise for the values, in the order of the elements.
    /// - Cancellation: passes up to this promise, or to those `transform` made.
    public func thenMap<U: Thenable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (T.Element) throws -> U
    ) -> Promise<[U.T]> {
        then(on: queue, flags: flags) { when(fulfilled: try $0.map(transform)) }
    }

    /// Makes a promise from each element, waits for all, and joins their lists.
    ///
    /// - Parameters:
    ///   - queue: the queue `transform` runs on; nil for right where the promise settles.
    ///   - flags: how it is put on that queue.
    ///   - transform: returns a promise; what it throws rejects.
    /// - Cancellation: passes up to this promise, or to those `transform` made.
    public func thenFlatMap<U: Thenable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (T.Element) throws -> U
    ) -> Promise<[U.T.Element]> where U.T: Sequence, U.T.Element: Sendable {
        then(on: queue, flags: flags) { when(fulfilled: try $0.map(transform)) }.map(on: nil) { $0.flatMap { $0 } }
    }

    /// The elements for which `isIncluded` is true.
    ///
    /// - Parameters:
    ///   - queue: the queue `isIncluded` runs on; nil for right where the promise settles.
    ///   - flags: how it is put on that queue.
    ///   - isIncluded: says which to keep.
    public func filterValues(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ isIncluded: @escaping @Sendable (T.Element) -> Bool
    ) -> Promise<[T.Element]> where T.Element: Sendable {
        map(on: queue, flags: flags) { $0.filter(isIncluded) }
    }

    /// The elements of which this property is true.
    ///
    /// - Parameter keyPath: which.
    public func filterValues(_ keyPath: KeyPath<T.Element, Bool> & Sendable) -> Promise<[T.Element]>
    where T.Element: Sendable {
        map(on: nil) { $0.filter { $0[keyPath: keyPath] } }
    }
}

extension Thenable where T: Collection, T.Element: Sendable {
    /// The first element of the value.
    ///
    /// - Rejects: with ``PromiseError/emptySequence`` where there is none.
    public var firstValue: Promise<T.Element> {
        map(on: nil) { list in
            guard let first = list.first else { throw PromiseError.emptySequence }
            return first
        }
    }

    /// The first element for which `isWanted` is true.
    ///
    /// - Parameters:
    ///   - queue: the queue `isWanted` runs on; nil for right where the promise settles.
    ///   - flags: how it is put on that queue.
    ///   - isWanted: says which.
    /// - Rejects: with ``PromiseError/emptySequence`` where there is none.
    public func firstValue(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        where isWanted: @escaping @Sendable (T.Element) -> Bool
    ) -> Promise<T.Element> {
        map(on: queue, flags: flags) { list in
            guard let first = list.first(where: isWanted) else { throw PromiseError.emptySequence }
            return first
        }
    }

    /// The last element of the value.
    ///
    /// - Rejects: with ``PromiseError/emptySequence`` where there is none.
    public var lastValue: Promise<T.Element> {
        map(on: nil) { list in
            // Walks once where going backwards is not possible.
            guard let last = list.suffix(1).first else { throw PromiseError.emptySequence }
            return last
        }
    }
}

extension Thenable where T: Sequence, T.Element: Comparable & Sendable {
    /// The elements, smallest first.
    ///
    /// - Parameters:
    ///   - queue: the queue it is done on; nil for right where the promise settles.
    ///   - flags: how it is put on that queue.
    public func sortedValues(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil
    ) -> Promise<[T.Element]> {
        map(on: queue, flags: flags) { $0.sorted() }
    }
}
