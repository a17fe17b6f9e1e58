import Dispatch

extension Thenable {
    /// Turns the value into another.
    ///
    /// - Parameters:
    ///   - on: the queue `transform` runs on; nil for the default executor.
    ///   - flags: how it is put on that queue.
    ///   - transform: returns the new value.
    /// - Rejects: with the error that came down the chain, which skips `transform`; with what `transform` throws.
    /// - Cancellation: passes up to this promise.
    @inlinable
    public func map<U: Sendable>(
        on queue: DispatchQueue? = nil, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (T) throws -> U
    ) -> Promise<U> {
        let next = _Derived<T, U, U>(role: .values, body: transform) { handler, source in
            let next = unsafeDowncast(handler, to: _Derived<T, U, U>.self)
            do {
                next._fulfill(try next.takeBody()(unsafeDowncast(source, to: Promise<T>.self).fulfilledValue))
            } catch {
                next._reject(error)
            }
        }
        _promise._register(next, on: queue, flags: flags)
        return next
    }

    /// Turns the value into another, where there is one.
    ///
    /// - Parameters:
    ///   - on: the queue `transform` runs on; nil for the default executor.
    ///   - flags: how it is put on that queue.
    ///   - transform: returns the new value, or nil.
    /// - Rejects: as ``map(on:flags:_:)``, and with ``PromiseError/compactMap(type:)`` when `transform` returns nil.
    /// - Cancellation: passes up to this promise.
    @inlinable
    public func compactMap<U: Sendable>(
        on queue: DispatchQueue? = nil, flags: DispatchWorkItemFlags? = nil,
        _ transform: @escaping @Sendable (T) throws -> U?
    ) -> Promise<U> {
        map(on: queue, flags: flags) { value in
            guard let found = try transform(value) else { throw PromiseError.compactMap(type: "\(U.self)") }
            return found
        }
    }

    /// The same promise without its value.
    @inlinable
    public func asVoid() -> Promise<Void> {
        map { _ in }
    }

    /// A property of the value.
    ///
    /// - Parameter keyPath: which.
    @inlinable
    public func map<U: Sendable>(_ keyPath: KeyPath<T, U> & Sendable) -> Promise<U> {
        map { $0[keyPath: keyPath] }
    }

    /// A property of the value, where it is not nil.
    ///
    /// - Parameter keyPath: which.
    /// - Rejects: with ``PromiseError/compactMap(type:)`` where it is nil.
    @inlinable
    public func compactMap<U: Sendable>(_ keyPath: KeyPath<T, U?> & Sendable) -> Promise<U> {
        compactMap { $0[keyPath: keyPath] }
    }
}
