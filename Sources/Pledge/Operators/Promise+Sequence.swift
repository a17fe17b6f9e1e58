import Dispatch

// The element is a parameter of its own: the compiler then names a mistake in what follows, which it would otherwise
// blame on the value not being a sequence.
extension Thenable {
    /// Transforms each element with a closure, as ``map(on:flags:_:)`` does a value.
    @_disfavoredOverload public func mapValues<E, U: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (E) throws -> U
    ) -> Promise<[U]> where T: Sequence<E> { map(on: queue, flags: flags) { try $0.map(transform) } }

    /// Transforms each element into a sequence, and concatenates the results; see ``mapValues(on:flags:_:)``.
    @_disfavoredOverload public func flatMapValues<E, U: Sequence & Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (E) throws -> U
    ) -> Promise<[U.Element]> where T: Sequence<E>, U.Element: Sendable {
        map(on: queue, flags: flags) { try $0.flatMap(transform) }
    }

    /// Transforms each element, leaving out nil results; see ``mapValues(on:flags:_:)``.
    @_disfavoredOverload public func compactMapValues<E, U: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (E) throws -> U?
    ) -> Promise<[U]> where T: Sequence<E> { map(on: queue, flags: flags) { try $0.compactMap(transform) } }

    /// Creates a promise from each element, as ``then(on:flags:_:)`` does from a value, waits for all of them, and
    /// collects the values in the order of the elements.
    ///
    /// - Rejects: With the first error. If `transform` throws, no more promises are created. Those that were created
    ///   continue, but their outcomes are ignored.
    /// - Cancellation: Propagates to this promise or, once `transform` has run, to the promises it returned.
    @_disfavoredOverload public func thenMap<E, V, U: Thenable<V>>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (E) throws -> U
    ) -> Promise<[V]> where T: Sequence<E> {
        then(on: queue, flags: flags) { elements in
            var promises: [Promise<V>] = []
            do {
                for element in elements { promises.append(try transform(element)._promise) }
            } catch {
                promises.append(Promise(error: error))
            }
            return when(fulfilled: promises)
        }
    }

    /// Creates a promise from each element, waits for all of them, and concatenates their values; see
    /// ``thenMap(on:flags:_:)``.
    @_disfavoredOverload public func thenFlatMap<E, V, U: Thenable<V>>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (E) throws -> U
    ) -> Promise<[V.Element]> where T: Sequence<E>, V: Sequence, V.Element: Sendable {
        thenMap(on: queue, flags: flags, transform).map(on: nil) { $0.flatMap { $0 } }
    }

    /// Keeps the elements for which `isIncluded` returns true; see ``mapValues(on:flags:_:)``.
    @_disfavoredOverload public func filterValues<E: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ isIncluded: @escaping @Sendable (E) -> Bool
    ) -> Promise<[E]> where T: Sequence<E> { map(on: queue, flags: flags) { $0.filter(isIncluded) } }

    /// Returns a promise for the first element that satisfies `isWanted`, or ``PromiseError/emptySequence``.
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
    /// A promise for the first element of the value; see ``firstValue(on:flags:where:)``.
    public var firstValue: Promise<T.Element> { firstValue(on: nil) { _ in true } }

    /// A promise for the last element of the value, or ``PromiseError/emptySequence`` if there is none.
    public var lastValue: Promise<T.Element> {
        // A single pass where the collection can't be traversed backwards.
        map(on: nil) { Array($0.suffix(1)) }.firstValue
    }
}

extension Thenable where T: Sequence, T.Element: Comparable & Sendable {
    /// Sorts the elements in ascending order.
    @_disfavoredOverload public func sortedValues(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil
    ) -> Promise<[T.Element]> { map(on: queue, flags: flags) { $0.sorted() } }
}
