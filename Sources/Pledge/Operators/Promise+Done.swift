import Dispatch

extension Thenable {
    /// Uses the value, at the end of a chain.
    ///
    /// - Parameters:
    ///   - on: the queue `body` runs on; nil for the default executor.
    ///   - flags: how it is put on that queue.
    ///   - body: gets the value.
    /// - Returns: a promise for `body` having run: follow it with `catch`.
    /// - Rejects: with the error that came down the chain, which skips `body`; with what `body` throws.
    /// - Cancellation: passes up to this promise.
    @inlinable
    public func done(
        on queue: DispatchQueue? = nil, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (T) throws -> Void
    ) -> Promise<Void> {
        let next = _Passing<T, Void>(role: [.values, .returns], body: body) { handler, source in
            let next = unsafeDowncast(handler, to: _Passing<T, Void>.self)
            do {
                next._fulfill(try next.takeBody()(unsafeDowncast(source, to: Promise<T>.self).fulfilledValue))
            } catch {
                next._reject(error)
            }
        }
        _promise._register(next, on: queue, flags: flags)
        return next
    }

    /// Looks at the value as it passes by.
    ///
    /// - Parameters:
    ///   - on: the queue `body` runs on; nil for the default executor.
    ///   - flags: how it is put on that queue.
    ///   - body: gets the value.
    /// - Returns: a promise for the same value.
    /// - Rejects: with the error that came down the chain, which skips `body`; with what `body` throws.
    /// - Cancellation: passes up to this promise.
    @inlinable
    public func get(
        on queue: DispatchQueue? = nil, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (T) throws -> Void
    ) -> Promise<T> {
        let next = _Passing<T, T>(role: .values, body: body) { handler, source in
            let next = unsafeDowncast(handler, to: _Passing<T, T>.self)
            let value = unsafeDowncast(source, to: Promise<T>.self).fulfilledValue
            do {
                try next.takeBody()(value)
                next._fulfill(value)
            } catch {
                next._reject(error)
            }
        }
        _promise._register(next, on: queue, flags: flags)
        return next
    }

    /// Looks at the outcome as it passes by.
    ///
    /// - Parameters:
    ///   - on: the queue `body` runs on; nil for the default executor.
    ///   - flags: how it is put on that queue.
    ///   - body: gets the value or the error. Seeing an error here does not handle it.
    /// - Returns: a promise for the same outcome.
    /// - Cancellation: passes up to this promise.
    @inlinable
    public func tap(
        on queue: DispatchQueue? = nil, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable (Result<T, any Error>) -> Void
    ) -> Promise<T> {
        let next = Promise<T>(role: [.values, .rejections]) { handler, source in
            let source = unsafeDowncast(source, to: Promise<T>.self)
            body(source.failure.map { .failure($0) } ?? .success(source.fulfilledValue))
            unsafeDowncast(handler, to: Promise<T>.self)._follow(source)
        }
        _promise._register(next, on: queue, flags: flags)
        return next
    }
}
