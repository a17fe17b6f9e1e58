import Dispatch

extension Thenable {
    /// Runs `body` whatever the outcome, which passes by unchanged.
    ///
    /// - Parameters:
    ///   - on: the queue `body` runs on; nil for the default executor.
    ///   - flags: how it is put on that queue.
    ///   - body: runs on value, error and cancellation alike.
    /// - Cancellation: passes up to this promise. Where the promise returned here is
    ///   cancelled, `body` runs at once, on its queue.
    @inlinable
    public func ensure(
        on queue: DispatchQueue? = nil, flags: DispatchWorkItemFlags? = nil, _ body: @escaping @Sendable () -> Void
    ) -> Promise<T> {
        let next = Promise<T>(role: [.values, .rejections, .returns, .always]) { handler, source in
            body()
            unsafeDowncast(handler, to: Promise<T>.self)._follow(unsafeDowncast(source, to: Promise<T>.self))
        }
        _promise._register(next, on: queue, flags: flags)
        return next
    }

    /// Waits for `body`'s work whatever the outcome, which then passes by unchanged.
    ///
    /// - Parameters:
    ///   - on: the queue `body` runs on; nil for the default executor.
    ///   - flags: how it is put on that queue.
    ///   - body: runs on value, error and cancellation alike, and returns what to wait for.
    /// - Cancellation: passes up to this promise. Where the promise returned here is
    ///   cancelled, `body` runs at once, on its queue; work that has begun goes on.
    @inlinable
    public func ensureThen(
        on queue: DispatchQueue? = nil, flags: DispatchWorkItemFlags? = nil,
        _ body: @escaping @Sendable () -> Guarantee<Void>
    ) -> Promise<T> {
        let next = Promise<T>(role: [.values, .rejections, .returns, .always]) { handler, source in
            let outcome = unsafeDowncast(source, to: Promise<T>.self)
            let next = unsafeDowncast(handler, to: Promise<T>.self)
            let work = body()
            // Between the two, so that who cancels the chain does not cancel the work: it goes on, and nobody waits.
            let end = Promise<T>(role: [])
            work.pipe { _ in end._follow(outcome) }
            next._follow(end)
        }
        _promise._register(next, on: queue, flags: flags)
        return next
    }
}

extension Thenable where T == Void {
    /// Runs `body` at the very end, whatever the outcome.
    ///
    /// - Parameters:
    ///   - on: the queue `body` runs on; nil for the default executor.
    ///   - flags: how it is put on that queue.
    ///   - body: runs after the handler before it.
    @inlinable
    public func finally(
        on queue: DispatchQueue? = nil, flags: DispatchWorkItemFlags? = nil, _ body: @escaping @Sendable () -> Void
    ) {
        _ = ensure(on: queue, flags: flags, body)
    }
}
