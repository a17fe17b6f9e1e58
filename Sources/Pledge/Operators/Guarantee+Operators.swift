import Dispatch

// The operators that cannot fail where their closure cannot. Those of a promise have the rest of what there is to say.
extension Guarantee {
    /// Turns the value into another.
    @inlinable public func map<U: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (T) -> U
    ) -> Guarantee<U> { chain(on: queue, flags: flags, .values) { next, value in next._fulfill(transform(value)) } }

    /// Continues with another guarantee, made from the value.
    @inlinable @discardableResult public func then<U: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (T) -> Guarantee<U>
    ) -> Guarantee<U> { chain(on: queue, flags: flags, .values) { next, value in next._follow(body(value)._promise) } }

    /// Uses the value, at the end of a chain.
    @inlinable @discardableResult public func done(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (T) -> Void
    ) -> Guarantee<Void> {
        chain(on: queue, flags: flags, [.values, .end]) { next, value in
            if !next._isCancelled { body(value) }
            next._fulfill(())
        }
    }

    /// Looks at the value as it passes by.
    @inlinable public func get(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (T) -> Void
    ) -> Guarantee<T> {
        chain(on: queue, flags: flags, .values) { next, value in
            if !next._isCancelled { body(value) }
            next._fulfill(value)
        }
    }

    /// The same guarantee without its value.
    @inlinable public func asVoid() -> Guarantee<Void> { map(on: nil) { _ in } }

    /// A property of the value.
    @inlinable public func map<U: Sendable>(_ keyPath: KeyPath<T, U> & Sendable) -> Guarantee<U> {
        map(on: nil) { $0[keyPath: keyPath] }
    }

    @inlinable @inline(__always) func chain<U: Sendable>(
        on queue: DispatchQueue?, flags: DispatchWorkItemFlags?, _ interest: _Interest,
        _ step: @escaping @Sendable (Promise<U>, T) -> Void
    ) -> Guarantee<U> {
        let promise = _promise
        return Guarantee<U>(
            _unfailing: promise._chain(on: queue, flags: flags, interest) { next in promise._pass(to: next, step) })
    }
}
