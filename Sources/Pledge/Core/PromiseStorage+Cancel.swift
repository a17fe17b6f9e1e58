extension PromiseStorage {
    /// Cancels the promise, and the promises it waits for as far as nothing else waits for those.
    ///
    /// Which promises that reaches is decided first, from the end of the chain to its source. They then reject from the
    /// source down, so that what follows an `ensure` waits for it.
    ///
    /// - Parameters:
    ///   - unlessAwaited: Whether to do nothing if the promise has dependents.
    ///   - waits: Whether the promise rejects only after the `ensure`s further up have ended.
    final func cancel(
        with error: any Error = PromiseError.cancelled, unlessAwaited: Bool = false, waits: Bool = true
    ) {
        Trampoline.hold {
            // With hooks, a promise is to reject, after what it waits for. Without, the cancel has yet to reach it.
            var steps: [(promise: PromiseStorage, hooks: [Run]?)] = [(self, nil)]
            while let (promise, hooks) = steps.popLast() {
                if let hooks {
                    promise.descend(hooks, waits: waits || promise !== self)
                } else if let hooks = promise === self
                    ? climb(with: error, unlessAwaited: unlessAwaited) : promise.climb(with: PromiseError.cancelled)
                {
                    steps.append((promise, hooks))
                    steps += promise.uncountAtSource().map { ($0, nil) }
                }
            }
        }
    }

    /// Marks the promise as canceled, and returns the hooks to run, or nil if there is nothing to do.
    private final func climb(with error: any Error, unlessAwaited: Bool = true) -> [Run]? {
        withState { state in
            let hooks = state.cancel(unlessAwaited: unlessAwaited)
            // It settles with this error, whatever it settles with.
            if hooks != nil, !state.has(.guarantee) { failure = error }
            return hooks
        }
    }

    /// Stops counting as a dependent. Returns the promises to be canceled unless something else waits for them.
    final func uncountAtSource() -> [PromiseStorage] {
        let (source, ticket, isGuarantee, isCleanup) = withState { state in
            (state.source, state.ticket, state.has(.guarantee), state.has(.cleanup))
        }
        return source?.uncount(ticket, runs: isGuarantee, isCleanup: isCleanup) ?? []
    }

    /// Rejects a canceled promise, unless it has to wait: a guarantee for its value, an `ensure` for its closure, and
    /// others for the `ensure`s further up.
    private final func descend(_ hooks: [Run], waits: Bool) {
        let (isGuarantee, isCleanup, source) = withState { ($0.has(.guarantee), $0.has(.cleanup), $0.source) }
        for hook in hooks { Trampoline.run(Work(promise: self, body: hook)) }
        // Runs its closure at once, because its source goes on for something else.
        if isCleanup, let source = source as? PromiseStorage, source.isPending, !source.isCancelled,
            let handler = leaveSource()
        {
            lock()
            return sendAndUnlock(handler)
        }
        if isCleanup || source?.unwinds(isGuarantee: isGuarantee) == true, waits {
            return withState { $0.set(.unwinding) }
        }
        guard !isGuarantee else { return }
        leaveSource()
        reject(PromiseError.cancelled)
    }

    /// Stops waiting for the source. Returns the handler, if it was waiting.
    @discardableResult private final func leaveSource() -> Handler? {
        withState { $0.takeSource() }.flatMap { source, ticket in source.release(ticket) }
    }

    /// Adds a hook that a cancel runs, or runs it immediately if the promise was already canceled. The hook receives
    /// the promise, which it must not retain.
    final func onCancel(_ hook: @escaping Run) {
        if withState({ $0.onCancel(hook) }) { Trampoline.run(Work(promise: self, body: hook)) }
    }
}
