import Dispatch

/// Begins a chain with the promise that a closure returns, indented like the rest of the chain. The closure runs
/// immediately, on the calling thread; an error that it throws rejects the chain.
@inlinable public func firstly<V, U: Thenable<V>>(execute body: () throws -> U) -> Promise<V> {
    do { return try body()._promise } catch { return Promise(error: error) }
}

/// Begins a chain that can't fail with the guarantee that a closure returns; see the overload for promises.
public func firstly<V>(execute body: () -> Guarantee<V>) -> Guarantee<V> { body() }

extension Thenable {
    /// Continues with the promise that `body` returns for the value: the result settles in the same way.
    ///
    /// `body` runs on the queue, as the closure of ``map(on:flags:_:)`` does.
    ///
    /// - Rejects: With this promise's error, without calling `body`; with any error that `body` throws or its promise
    ///   rejects with; with ``PromiseError/returnedSelf`` if `body` returns the very promise returned here.
    /// - Cancellation: Propagates to this promise or, once `body` has run, to the promise it returned.
    @_disfavoredOverload @inlinable public func then<V, U: Thenable<V>>(
        on queue: DispatchQueue?, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (T) throws -> U
    ) -> Promise<V> {
        let promise = _promise
        return promise._chain(on: queue, flags: flags, .values) { next in
            promise._pass(to: next) { next, value in next.follow(try body(value)._promise) }
        }
    }

    /// Continues with the promise that `body` returns for the value, on the default queue; see ``then(on:flags:_:)``.
    ///
    /// A form of its own: with two to choose from, the compiler finds the types of the chain before it checks the
    /// closure, and reports mistakes where they are, inside it.
    @_disfavoredOverload @inlinable public func then<V, U: Thenable<V>>(
        _ body: @escaping @Sendable (T) throws -> U
    ) -> Promise<V> { then(on: .configured, body) }
}

extension Thenable {
    /// Transforms the value with a closure.
    ///
    /// - Parameters:
    ///   - queue: The queue on which `transform` runs, or nil to run it on the thread that settles the promise.
    ///   - flags: The flags of the work item submitted to that queue.
    ///   - transform: A closure that returns the new value.
    /// - Rejects: With this promise's error, without calling `transform`; with any error that `transform` throws.
    /// - Cancellation: Propagates to this promise, as with every operator that doesn't say otherwise.
    @_disfavoredOverload @inlinable public func map<U: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (T) throws -> U
    ) -> Promise<U> {
        let promise = _promise
        return promise._chain(on: queue, flags: flags, .values) { next in
            promise._pass(to: next) { next, value in next.fulfill(try transform(value)) }
        }
    }

    /// Transforms the value, as ``map(on:flags:_:)`` does. Nil rejects with ``PromiseError/compactMap(type:)``.
    @_disfavoredOverload @inlinable public func compactMap<U: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (T) throws -> U?
    ) -> Promise<U> {
        map(on: queue, flags: flags) { value in
            guard let found = try transform(value) else { throw PromiseError.compactMap(type: "\(U.self)") }
            return found
        }
    }

    /// Returns the same promise without its value.
    @inlinable public func asVoid() -> Promise<Void> { map(on: nil) { _ in } }
}

extension Thenable {
    /// Calls `body` with the value, at the end of a chain, on the queue, as ``map(on:flags:_:)`` calls its closure.
    ///
    /// - Returns: A promise that is fulfilled once `body` has run. Follow it with `catch`.
    @_disfavoredOverload @inlinable public func done(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (T) throws -> Void
    ) -> Promise<Void> {
        let promise = _promise
        return promise._chain(on: queue, flags: flags, [.values, .end]) { next in
            promise._pass(to: next) { next, value in next.fulfill(try body(value)) }
        }
    }

    /// Calls `body` with the value, as ``done(on:flags:_:)`` does, then passes the value on.
    @_disfavoredOverload @inlinable public func get(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (T) throws -> Void
    ) -> Promise<T> {
        let promise = _promise
        return promise._chain(on: queue, flags: flags, .values) { next in
            promise._pass(to: next) { (next: ValueStorage<T?>, value) in
                try body(value)
                next.fulfill(value)
            }
        }
    }

    /// Calls `body` with the outcome, then passes the outcome on. Receiving an error this way doesn't handle it.
    @_disfavoredOverload @inlinable public func tap(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (Result<T, any Error>) -> Void
    ) -> Promise<T> {
        let promise = _promise
        return promise._chain(on: queue, flags: flags, .outcomes) { next in
            promise._hand(to: next) { (next: ValueStorage<T?>, outcome) in
                body(outcome)
                next.settle(as: outcome)
            }
        }
    }
}

// The element is a parameter of its own: the compiler then names a mistake in what follows, which it would otherwise
// blame on the value not being a sequence.
extension Thenable {
    /// Transforms each element with a closure, in the same way as ``map(on:flags:_:)`` transforms a value.
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

extension Thenable {
    /// Returns a promise for one of several callers: it settles in the same way, but canceling it affects only that
    /// caller.
    ///
    /// ```swift
    /// let profile = profiles[id] ?? load(id)   // a promise that is kept for everyone who asks
    /// return profile.shared()
    /// ```
    ///
    /// - Cancellation: Doesn't propagate to this promise, even if every caller cancels. To stop the work, cancel this
    ///   one.
    public func shared() -> Promise<T> {
        _promise.storage.withState { $0.set(.shared) }
        return Promise(self)
    }
}
