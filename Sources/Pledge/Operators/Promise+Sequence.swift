import Dispatch

// The element is a parameter of its own: the compiler then names a mistake in what follows, which it would otherwise blame
// on the value not being a sequence.
extension Thenable {
    /// Transforms each element with a closure.
    ///
    /// - Parameters:
    ///   - queue: The queue on which `transform` runs, or nil to run it on the thread that settles the promise.
    ///   - flags: The flags of the work item submitted to that queue.
    ///   - transform: A closure that returns the new element. An error it throws rejects the promise.
    @_disfavoredOverload public func mapValues<E, U: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (E) throws -> U
    ) -> Promise<[U]> where T: Sequence<E> {
        map(on: queue, flags: flags) { try $0.map(transform) }
    }

    /// Transforms each element into a sequence, and concatenates the results.
    ///
    /// - Parameters:
    ///   - queue: The queue on which `transform` runs, or nil to run it on the thread that settles the promise.
    ///   - flags: The flags of the work item submitted to that queue.
    ///   - transform: A closure that returns the new elements. An error it throws rejects the promise.
    @_disfavoredOverload public func flatMapValues<E, U: Sequence & Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (E) throws -> U
    ) -> Promise<[U.Element]> where T: Sequence<E>, U.Element: Sendable {
        map(on: queue, flags: flags) { try $0.flatMap(transform) }
    }

    /// Transforms each element, leaving out nil results.
    ///
    /// - Parameters:
    ///   - queue: The queue on which `transform` runs, or nil to run it on the thread that settles the promise.
    ///   - flags: The flags of the work item submitted to that queue.
    ///   - transform: A closure that returns the new element or nil. An error it throws rejects the promise.
    @_disfavoredOverload public func compactMapValues<E, U: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (E) throws -> U?
    ) -> Promise<[U]> where T: Sequence<E> {
        map(on: queue, flags: flags) { try $0.compactMap(transform) }
    }

    /// Creates a promise from each element, and waits for all of them.
    ///
    /// - Parameters:
    ///   - queue: The queue on which `transform` runs, or nil to run it on the thread that settles the promise.
    ///   - flags: The flags of the work item submitted to that queue.
    ///   - transform: A closure that returns a promise for the element. An error it throws rejects the promise.
    /// - Returns: A promise for the values, in the order of the elements.
    /// - Cancellation: Propagates to this promise or, once `transform` has run, to the promises it returned.
    @_disfavoredOverload public func thenMap<E, V, U: Thenable<V>>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (E) throws -> U
    ) -> Promise<[V]> where T: Sequence<E> {
        then(on: queue, flags: flags) { when(fulfilled: try $0.map(transform)) }
    }

    /// Creates a promise from each element, waits for all of them, and concatenates their values.
    ///
    /// - Parameters:
    ///   - queue: The queue on which `transform` runs, or nil to run it on the thread that settles the promise.
    ///   - flags: The flags of the work item submitted to that queue.
    ///   - transform: A closure that returns a promise for the element. An error it throws rejects the promise.
    /// - Cancellation: Propagates to this promise or, once `transform` has run, to the promises it returned.
    @_disfavoredOverload public func thenFlatMap<E, V, U: Thenable<V>>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (E) throws -> U
    ) -> Promise<[V.Element]> where T: Sequence<E>, V: Sequence, V.Element: Sendable {
        then(on: queue, flags: flags) { when(fulfilled: try $0.map(transform)) }.map(on: nil) { $0.flatMap { $0 } }
    }

    /// Keeps the elements for which `isIncluded` returns true.
    ///
    /// - Parameters:
    ///   - queue: The queue on which `isIncluded` runs, or nil to run it on the thread that settles the promise.
    ///   - flags: The flags of the work item submitted to that queue.
    ///   - isIncluded: A closure that returns whether to keep an element.
    @_disfavoredOverload public func filterValues<E: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ isIncluded: @escaping @Sendable (E) -> Bool
    ) -> Promise<[E]> where T: Sequence<E> {
        map(on: queue, flags: flags) { $0.filter(isIncluded) }
    }

    /// Returns a promise for the first element for which `isWanted` returns true.
    ///
    /// - Parameters:
    ///   - queue: The queue on which `isWanted` runs, or nil to run it on the thread that settles the promise.
    ///   - flags: The flags of the work item submitted to that queue.
    ///   - isWanted: A closure that returns whether an element matches.
    /// - Rejects: With ``PromiseError/emptySequence`` if there is none.
    @_disfavoredOverload public func firstValue<E: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        where isWanted: @escaping @Sendable (E) -> Bool
    ) -> Promise<E> where T: Collection<E> {
        map(on: queue, flags: flags) { list in
            guard let first = list.first(where: isWanted) else { throw PromiseError.emptySequence }
            return first
        }
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
    @_disfavoredOverload public func sortedValues(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil
    ) -> Promise<[T.Element]> {
        map(on: queue, flags: flags) { $0.sorted() }
    }
}
