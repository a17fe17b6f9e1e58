import Dispatch

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
