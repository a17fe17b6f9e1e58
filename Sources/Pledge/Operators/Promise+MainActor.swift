import Dispatch

// For user interfaces: handlers that belong to the main actor, and may touch what is its own.
extension Thenable {
    /// Uses the value on the main actor, at the end of a chain: `.done(on: MainActor.shared) { self.label = $0 }`.
    ///
    /// - Parameters:
    ///   - actor: the main actor.
    ///   - body: gets the value, on the main queue.
    /// - Rejects: with the error that came down the chain, which skips `body`; with what `body` throws.
    /// - Cancellation: passes up to this promise.
    public func done(on actor: MainActor, _ body: @escaping @MainActor @Sendable (T) throws -> Void) -> Promise<Void> {
        done(on: .main) { value in
            try MainActor.assumeIsolated { try body(value) }
        }
    }

    /// Turns the value into another on the main actor.
    ///
    /// - Parameters:
    ///   - actor: the main actor.
    ///   - transform: returns the new value, on the main queue.
    /// - Rejects: with the error that came down the chain, which skips `transform`; with what `transform` throws.
    /// - Cancellation: passes up to this promise.
    public func map<U: Sendable>(
        on actor: MainActor, _ transform: @escaping @MainActor @Sendable (T) throws -> U
    ) -> Promise<U> {
        map(on: .main) { value in
            try MainActor.assumeIsolated { try transform(value) }
        }
    }

    /// Handles the error a chain ends with on the main actor; see ``catch(on:flags:policy:_:)``.
    ///
    /// - Parameters:
    ///   - actor: the main actor.
    ///   - policy: whether `body` is called for cancellation too.
    ///   - body: gets the error, on the main queue.
    @discardableResult
    public func `catch`(
        on actor: MainActor, policy: CatchPolicy = PromiseConfiguration.shared.catchPolicy,
        _ body: @escaping @MainActor @Sendable (any Error) -> Void
    ) -> Promise<Void> {
        `catch`(on: .main, policy: policy) { error in
            MainActor.assumeIsolated { body(error) }
        }
    }

    /// Runs `body` on the main actor whatever the outcome; see ``ensure(on:flags:_:)``.
    ///
    /// - Parameters:
    ///   - actor: the main actor.
    ///   - body: runs on value, error and cancellation alike, on the main queue.
    public func ensure(on actor: MainActor, _ body: @escaping @MainActor @Sendable () -> Void) -> Promise<T> {
        ensure(on: .main) {
            MainActor.assumeIsolated { body() }
        }
    }
}

extension Thenable where T == Void {
    /// Runs `body` on the main actor at the very end, whatever the outcome.
    ///
    /// - Parameters:
    ///   - actor: the main actor.
    ///   - body: runs on the main queue.
    public func finally(on actor: MainActor, _ body: @escaping @MainActor @Sendable () -> Void) {
        _ = ensure(on: actor, body)
    }
}
