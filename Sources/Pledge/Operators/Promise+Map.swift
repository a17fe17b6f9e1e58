import Dispatch

extension Thenable {
    /// Turns the value into another.
    ///
    /// - Parameters:
    ///   - queue: the queue `transform` runs on; nil for right where the promise settles.
    ///   - flags: how it is put on that queue.
    ///   - transform: returns the new value.
    /// - Rejects: with the error that came down the chain, which skips `transform`; with what `transform` throws.
    /// - Cancellation: passes up to this promise.
    @inlinable public func map<U: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (T) throws -> U
    ) -> Promise<U> {
        let promise = _promise
        return promise._chain(on: queue, flags: flags, .values) { next in
            promise._pass(to: next) { next, value in next._fulfill(try transform(value)) }
        }
    }

    /// Turns the value into another, where there is one.
    ///
    /// - Parameters:
    ///   - queue: the queue `transform` runs on; nil for right where the promise settles.
    ///   - flags: how it is put on that queue.
    ///   - transform: returns the new value, or nil.
    /// - Rejects: as ``map(on:flags:_:)``, and with ``PromiseError/compactMap(type:)`` when `transform` returns nil.
    /// - Cancellation: passes up to this promise.
    @inlinable public func compactMap<U: Sendable>(
        on queue: DispatchQueue? = .configured, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (T) throws -> U?
    ) -> Promise<U> {
        map(on: queue, flags: flags) { value in
            guard let found = try transform(value) else { throw PromiseError.compactMap(type: "\(U.self)") }
            return found
        }
    }

    /// The same promise without its value.
    @inlinable public func asVoid() -> Promise<Void> { map(on: nil) { _ in } }

    /// A property of the value.
    ///
    /// - Parameter keyPath: which.
    @inlinable public func map<U: Sendable>(_ keyPath: KeyPath<T, U> & Sendable) -> Promise<U> {
        map(on: nil) { $0[keyPath: keyPath] }
    }

    /// A property of the value, where it is not nil.
    ///
    /// - Parameter keyPath: which.
    /// - Rejects: with ``PromiseError/compactMap(type:)`` where it is nil.
    @inlinable public func compactMap<U: Sendable>(_ keyPath: KeyPath<T, U?> & Sendable) -> Promise<U> {
        compactMap(on: nil) { $0[keyPath: keyPath] }
    }
}
