import Dispatch

/// A value that becomes available later and can't fail.
///
/// A thin wrapper around a ``Promise`` that never rejects: a chain on it needs no `catch` until a closure throws or
/// returns a promise.
///
/// Canceling a guarantee asks its source to finish early; for example, ``after(seconds:timekeeper:)`` is then fulfilled
/// at once. The closures of a canceled `done` or `get` don't run. The closures of `map` and `recover`, and of a `then`
/// that returns a guarantee, still run, because there is no value without them. If they must not run, begin the chain
/// with a promise.
public struct Guarantee<T: Sendable>: Thenable {
    @usableFromInline let promise: Promise<T>

    /// Wraps a promise that nothing can reject.
    @usableFromInline package init(_unfailing promise: Promise<T>) {
        promise.storage.withState { $0.set(.guarantee) }
        self.promise = promise
    }

    /// The underlying promise, which never rejects.
    public subscript(_promise _: Void) -> Promise<T> { promise }

    /// Creates a guarantee and passes the closure that fulfills it to `body`, which runs at once on the calling thread.
    ///
    /// If that closure is released unused, the guarantee can never settle: this is logged, promises that wait for it
    /// reject with ``PromiseError/dropped(file:line:)``, and code that awaits it stops the program.
    public init(
        file: StaticString = #fileID, line: UInt = #line, resolver body: (@escaping @Sendable (T) -> Void) -> Void
    ) {
        let (guarantee, resolve) = Guarantee.pending(file: file, line: line)
        self = guarantee
        body(resolve)
    }

    /// Returns a guarantee fulfilled with a value.
    public static func value(_ value: T) -> Guarantee<T> { Guarantee(_unfailing: .value(value)) }

    /// Returns a pending guarantee and the closure that fulfills it.
    public static func pending(
        file: StaticString = #fileID, line: UInt = #line
    ) -> (guarantee: Guarantee<T>, resolve: @Sendable (T) -> Void) {
        let (promise, resolver) = Promise<T>.pending(file: file, line: line)
        return (Guarantee(_unfailing: promise), { resolver.fulfill($0) })
    }
}

extension Guarantee where T == Void {
    /// Creates a fulfilled guarantee without a value.
    public init() { self.init(_unfailing: Promise()) }

    /// A fulfilled guarantee without a value.
    public static var value: Guarantee<Void> { Guarantee() }
}

// These operators can't fail if their closure can't. The operators of a promise have the complete documentation.
extension Guarantee {
    /// Transforms the value with a closure.
    @_disfavoredOverload @inlinable public func map<U: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (T) -> U
    ) -> Guarantee<U> { chain(on: queue, flags: flags, .values) { next, value in next.fulfill(transform(value)) } }

    /// Continues with the guarantee that `body` returns for the value.
    @_disfavoredOverload @inlinable @discardableResult public func then<V, U: Unfailing<V>>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (T) -> U
    ) -> Guarantee<V> { chain(on: queue, flags: flags, .values) { next, value in next.follow(body(value)._promise) } }

    /// Calls `body` with the value, at the end of a chain.
    @_disfavoredOverload @inlinable @discardableResult public func done(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (T) -> Void
    ) -> Guarantee<Void> {
        chain(on: queue, flags: flags, [.values, .end]) { next, value in
            if !next.isCancelled { body(value) }
            next.fulfill(())
        }
    }

    /// Calls `body` with the value, then passes the value on.
    @_disfavoredOverload @inlinable public func get(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (T) -> Void
    ) -> Guarantee<T> {
        chain(on: queue, flags: flags, .values) { next, value in
            if !next.isCancelled { body(value) }
            next.fulfill(value)
        }
    }

    /// Returns the same guarantee without its value.
    @inlinable public func asVoid() -> Guarantee<Void> { map(on: nil) { _ in } }

    @inlinable @inline(__always) func chain<U: Sendable>(
        on queue: DispatchQueue?, flags: DispatchWorkItemFlags?, _ interest: _Interest,
        _ step: @escaping @Sendable (ValueStorage<U?>, T) -> Void
    ) -> Guarantee<U> {
        let promise = _promise
        return Guarantee<U>(
            _unfailing: promise._chain(on: queue, flags: flags, interest) { next in promise._pass(to: next, step) })
    }
}

// The operators for lists, without a way to fail. The operators of a promise have the complete documentation.
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
