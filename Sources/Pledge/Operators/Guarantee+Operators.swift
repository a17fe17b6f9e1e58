import Dispatch

// The operators that can't fail if their closure can't. Those of a promise have the complete documentation.
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
