import Dispatch

extension Thenable where T: Sequence {
    /// Transforms each element with a closure.
    ///
    /// - Parameters:
    ///   - queue: The queue on which `transform` runs, or nil to run it on the thread that settles the promise.
    ///   - flags: The flags of the work item submitted to that queue.
    ///   - transform: A closure that returns the new element. An error it throws rejects the promise.
    public func mapValues<U: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (T.Element) throws -> U
    ) -> Promise<[U]> {
        map(on: queue, flags: flags) { try $0.map(transform) }
    }

    /// Maps each element to one of its properties.
    ///
    /// - Parameter keyPath: The key path of the property.
    public func mapValues<U: Sendable>(_ keyPath: KeyPath<T.Element, U> & Sendable) -> Promise<[U]> {
        map(on: nil) { $0.map { $0[keyPath: keyPath] } }
    }

    /// Transforms each element into a sequence, and concatenates the results.
    ///
    /// - Parameters:
    ///   - queue: The queue on which `transform` runs, or nil to run it on the thread that settles the promise.
    ///   - flags: The flags of the work item submitted to that queue.
    ///   - transform: A closure that returns the new elements. An error it throws rejects the promise.
    public func flatMapValues<U: Sequence & Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (T.Element) throws -> U
    ) -> Promise<[U.Element]> where U.Element: Sendable {
        map(on: queue, flags: flags) { try $0.flatMap(transform) }
    }

    /// Transforms each element, leaving out nil results.
    ///
    /// - Parameters:
    ///   - queue: The queue on which `transform` runs, or nil to run it on the thread that settles the promise.
    ///   - flags: The flags of the work item submitted to that queue.
    ///   - transform: A closure that returns the new element or nil. An error it throws rejects the promise.
    public func compactMapValues<U: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (T.Element) throws -> U?
    ) -> Promise<[U]> {
        map(on: queue, flags: flags) { try $0.compactMap(transform) }
    }

    /// Maps each element to one of its properties, leaving out nil.
    ///
    /// - Parameter keyPath: The key path of the property.
    public func compactMapValues<U: Sendable>(_ keyPath: KeyPath<T.Element, U?> & Sendable) -> Promise<[U]> {
        map(on: nil) { $0.compactMap { $0[keyPath: keyPath] } }
    }

    /// Creates a promise from each element, and waits for all of them.
    ///
    /// - Parameters:
    ///   - queue: The queue on which `transform` runs, or nil to run it on the thread that settles the promise.
    ///   - flags: The flags of the work item submitted to that queue.
    ///   - transform: A closure that returns a promise for the element. An error it throws rejects the promise.
    /// - Returns: A promise for the values, in the order of the elements.
    /// - Cancellation: Propagates to this promise or, once `transform` has run, to the promises it returned.
    public func thenMap<V, U: Thenable<V>>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (T.Element) throws -> U
    ) -> Promise<[V]> {
        then(on: queue, flags: flags) { when(fulfilled: try $0.map(transform)) }
    }

    /// Creates a promise from each element, waits for all of them, and concatenates their values.
    ///
    /// - Parameters:
    ///   - queue: The queue on which `transform` runs, or nil to run it on the thread that settles the promise.
    ///   - flags: The flags of the work item submitted to that queue.
    ///   - transform: A closure that returns a promise for the element. An error it throws rejects the promise.
    /// - Cancellation: Propagates to this promise or, once `transform` has run, to the promises it returned.
    public func thenFlatMap<V, U: Thenable<V>>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (T.Element) throws -> U
    ) -> Promise<[V.Element]> where V: Sequence, V.Element: Sendable {
        then(on: queue, flags: flags) { when(fulfilled: try $0.map(transform)) }.map(on: nil) { $0.flatMap { $0 } }
    }

    /// Keeps the elements for which `isIncluded` returns true.
    ///
    /// - Parameters:
    ///   - queue: The queue on which `isIncluded` runs, or nil to run it on the thread that settles the promise.
    ///   - flags: The flags of the work item submitted to that queue.
    ///   - isIncluded: A closure that returns whether to keep an element.
    public func filterValues(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ isIncluded: @escaping @Sendable (T.Element) -> Bool
    ) -> Promise<[T.Element]> where T.Element: Sendable {
        map(on: queue, flags: flags) { $0.filter(isIncluded) }
    }

    /// Keeps the elements for which a property is true.
    ///
    /// - Parameter keyPath: The key path of the property.
    public func filterValues(_ keyPath: KeyPath<T.Element, Bool> & Sendable) -> Promise<[T.Element]>
    where T.Element: Sendable {
        map(on: nil) { $0.filter { $0[keyPath: keyPath] } }
    }
}

extension Thenable where T: Collection, T.Element: Sendable {
    /// A promise for the first element of the value.
    ///
    /// - Rejects: With ``PromiseError/emptySequence`` if there is none.
    public var firstValue: Promise<T.Element> {
        map(on: nil) { list in
            guard let first = list.first else { throw PromiseError.emptySequence }
            return first
        }
    }

    /// Returns a promise for the first element for which `isWanted` returns true.
    ///
    /// - Parameters:
    ///   - queue: The queue on which `isWanted` runs, or nil to run it on the thread that settles the promise.
    ///   - flags: The flags of the work item submitted to that queue.
    ///   - isWanted: A closure that returns whether an element matches.
    /// - Rejects: With ``PromiseError/emptySequence`` if there is none.
    public func firstValue(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        where isWanted: @escaping @Sendable (T.Element) -> Bool
    ) -> Promise<T.Element> {
        map(on: queue, flags: flags) { list in
            guard let first = list.first(where: isWanted) else { throw PromiseError.emptySequence }
            return first
        }
    }

    /// A promise for the last element of the value.
    ///
    /// - Rejects: With ``PromiseError/emptySequence`` if there is none.
    public var lastValue: Promise<T.Element> {
        map(on: nil) { list in
            // A single pass where the collection can't be traversed backwards.
            guard let last = list.suffix(1).first else { throw PromiseError.emptySequence }
            return last
        }
    }
}

extension Thenable where T: Sequence, T.Element: Comparable & Sendable {
    /// Sorts the elements in ascending order.
    ///
    /// - Parameters:
    ///   - queue: The queue on which to sort, or nil to sort on the thread that settles the promise.
    ///   - flags: The flags of the work item submitted to that queue.
    public func sortedValues(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil
    ) -> Promise<[T.Element]> {
        map(on: queue, flags: flags) { $0.sorted() }
    }
}
