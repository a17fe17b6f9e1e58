import Dispatch

/// A value that becomes available later and can't fail.
///
/// A guarantee is a thin wrapper around a ``Promise`` that never rejects. A chain that begins with a guarantee needs no
/// `catch`, as long as no closure in the chain throws or returns a promise.
///
/// If you cancel a guarantee, it asks its source to finish early. For example, the guarantee of
/// ``after(seconds:timekeeper:)`` is then fulfilled at once. Which closures run after the cancel depends on the
/// operator:
///
/// - The closures of `done` and `get` don't run.
/// - The closures of `map` and `recover` still run, because there is no value without them. This is also true for a
///   `then` whose closure returns a guarantee. If such a closure must not run, begin the chain with a promise.
public struct Guarantee<T: Sendable>: Thenable {
    @usableFromInline let promise: Promise<T>

    /// Wraps a promise that nothing rejects.
    @usableFromInline package init(_unfailing promise: Promise<T>) {
        promise.storage.withState { $0.set(.guarantee) }
        self.promise = promise
    }

    /// The underlying promise, which never rejects.
    public subscript(_promise _: Void) -> Promise<T> { promise }

    /// Creates a guarantee, and passes the closure that fulfills it to `body`. `body` runs immediately, on the calling
    /// thread.
    ///
    /// If the closure that fulfills the guarantee is released without being called, the guarantee can never get a
    /// value. This is logged. Promises that wait for the guarantee then reject with
    /// ``PromiseError/dropped(file:line:)``, and code that awaits the guarantee stops the program.
    public init(
        file: StaticString = #fileID, line: UInt = #line, resolver body: (@escaping @Sendable (T) -> Void) -> Void
    ) {
        let (guarantee, resolve) = Guarantee.pending(file: file, line: line)
        self = guarantee
        body(resolve)
    }

    /// Returns a guarantee that is already fulfilled with a value.
    public static func value(_ value: T) -> Guarantee<T> { Guarantee(_unfailing: .value(value)) }

    /// Returns a pending guarantee and the closure that fulfills it.
    public static func pending(
        file: StaticString = #fileID, line: UInt = #line
    ) -> (guarantee: Guarantee<T>, resolve: @Sendable (T) -> Void) {
        let (promise, resolver) = Promise<T>.pending(file: file, line: line)
        return (Guarantee(_unfailing: promise), { resolver.fulfill($0) })
    }
}

/// A type that represents a promise that can't fail. ``Guarantee`` is such a type.
public protocol Unfailing<T>: Thenable {}

extension Guarantee: Unfailing {}

extension Guarantee where T == Void {
    /// Creates a guarantee that has no value and is already fulfilled.
    public init() { self.init(_unfailing: Promise()) }

    /// A guarantee that has no value and is already fulfilled.
    public static var value: Guarantee<Void> { Guarantee() }
}

// These operators return a guarantee, because their closures can't fail. The operators of a promise have the complete
// documentation.
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

    /// Returns a guarantee that has no value and is fulfilled together with this guarantee.
    @inlinable public func asVoid() -> Guarantee<Void> { map(on: nil) { _ in } }

    @inlinable @inline(__always) func chain<U: Sendable>(
        on queue: DispatchQueue?, flags: DispatchWorkItemFlags?, _ options: _HandlerOptions,
        _ step: @escaping @Sendable (ValueStorage<U?>, T) -> Void
    ) -> Guarantee<U> {
        let promise = _promise
        return Guarantee<U>(
            _unfailing: promise._chain(on: queue, flags: flags, options) { next in promise._pass(to: next, step) })
    }
}

// These operators for lists return a guarantee, because their closures can't fail. The operators of a promise have the
// complete documentation.
extension Guarantee {
    /// Transforms each element of the list with a closure.
    @_disfavoredOverload public func mapValues<E, U: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (E) -> U
    ) -> Guarantee<[U]> where T: Sequence<E> { map(on: queue, flags: flags) { $0.map(transform) } }

    /// Transforms each element of the list into a sequence, and concatenates the sequences.
    @_disfavoredOverload public func flatMapValues<E, U: Sequence & Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (E) -> U
    ) -> Guarantee<[U.Element]> where T: Sequence<E>, U.Element: Sendable {
        map(on: queue, flags: flags) { $0.flatMap(transform) }
    }

    /// Transforms each element of the list with a closure, and leaves out the results that are nil.
    @_disfavoredOverload public func compactMapValues<E, U: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (E) -> U?
    ) -> Guarantee<[U]> where T: Sequence<E> { map(on: queue, flags: flags) { $0.compactMap(transform) } }

    /// Creates a guarantee from each element of the list, and waits for all of them. The values are in the order of the
    /// elements.
    @_disfavoredOverload public func thenMap<E, V, U: Unfailing<V>>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (E) -> U
    ) -> Guarantee<[V]> where T: Sequence<E> {
        then(on: queue, flags: flags) { Guarantee<[V]>(_unfailing: when(fulfilled: $0.map(transform))) }
    }

    /// Creates a guarantee from each element of the list, waits for all of them, and concatenates their values.
    @_disfavoredOverload public func thenFlatMap<E, V: Sequence, U: Unfailing<V>>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (E) -> U
    ) -> Guarantee<[V.Element]> where T: Sequence<E>, V.Element: Sendable {
        thenMap(on: queue, flags: flags, transform).map(on: nil) { $0.flatMap { $0 } }
    }

    /// Keeps the elements of the list for which `isIncluded` returns true.
    @_disfavoredOverload public func filterValues<E: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ isIncluded: @escaping @Sendable (E) -> Bool
    ) -> Guarantee<[E]> where T: Sequence<E> { map(on: queue, flags: flags) { $0.filter(isIncluded) } }
}

extension Guarantee where T: Sequence, T.Element: Comparable & Sendable {
    /// Sorts the elements of the list in ascending order.
    @_disfavoredOverload public func sortedValues(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil
    ) -> Guarantee<[T.Element]> { map(on: queue, flags: flags) { $0.sorted() } }
}
