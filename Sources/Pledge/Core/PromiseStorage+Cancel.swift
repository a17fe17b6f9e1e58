extension PromiseStorage {
    /// Cancels the promise, and the promises it waits for as far as nothing else waits for those.
    ///
    /// Which promises that reaches is decided first, from the end of the chain to its source. They then reject from the
    /// source down, so that what follows an `ensure` waits for it.
    ///
    /// - Parameters:
    ///   - error: The error to reject with.
    ///   - unlessAwaited: Whether to do nothing if the promise has dependents.
    ///   - waits: Whether the promise rejects only after the `ensure`s further up have ended.
    final func cancel(
        with error: any Error = PromiseError.cancelled, unlessAwaited: Bool = false, waits: Bool = true
    ) {
        Trampoline.hold {
            var steps: [(promise: PromiseStorage, hooks: [Run]?)] = []
            climb(with: error, unlessAwaited, &steps)
            while let (promise, hooks) = steps.popLast() {
                if let hooks {
                    promise.descend(hooks, waits: waits || promise !== self)
                } else {
                    promise.climb(with: PromiseError.cancelled, true, &steps)
                }
            }
        }
    }

    /// Marks the promise as canceled. Its handlers no longer count as dependents of what it waits for.
    ///
    /// - Parameter steps: What is left to do: this promise, with its hooks, is to reject after what it waits for, which
    ///   is to be canceled unless something else waits for it.
    private final func climb(
        with error: any Error, _ unlessAwaited: Bool, _ steps: inout [(promise: PromiseStorage, hooks: [Run]?)]
    ) {
        lock()
        let hooks = state.cancel(unlessAwaited: unlessAwaited)
        // It settles with this error, whatever it settles with.
        if hooks != nil, !state.has(.guarantee) { failure = error }
        unlock()
        guard let hooks else { return }
        steps.append((self, hooks))
        steps += uncountAtSource().map { ($0, nil) }
    }

    /// - Returns: The promises to be canceled unless something else waits for them.
    final func uncountAtSource() -> [PromiseStorage] {
        let (source, ticket, isGuarantee, isCleanup) = withState { state in
            (state.source, state.ticket, state.has(.guarantee), state.has(.cleanup))
        }
        switch source {
        case .one(let source): return source.uncount(ticket, runs: isGuarantee, isCleanup: isCleanup) ? [source] : []
        case .several(let inputs): return inputs.climb(isGuarantee: isGuarantee)
        case nil: return []
        }
    }

    /// Rejects a canceled promise, unless it has to wait: a guarantee for its value, an `ensure` for its closure, and
    /// others for the `ensure`s further up.
    private final func descend(_ hooks: [Run], waits: Bool) {
        let (isPending, isGuarantee, isCleanup, source) = withState { state in
            (state.phase == .pending, state.has(.guarantee), state.has(.cleanup), state.source)
        }
        for hook in hooks { Trampoline.run(Work(promise: self, body: hook)) }
        guard isPending else { return }
        var isUnwinding = isCleanup
        switch source {
        case .one(let source):
            // Runs its closure at once, because its source goes on for something else.
            if isCleanup, source.isPending, !source.isCancelled, let handler = leaveSource() {
                lock()
                return sendAndUnlock(handler, after: .rejected)
            }
            isUnwinding = isCleanup || source.isUnwinding
        case .several(let inputs): isUnwinding = inputs.descend(isGuarantee: isGuarantee)
        case nil: break
        }
        if isUnwinding, waits { return withState { $0.set(.unwinding) } }
        guard !isGuarantee else { return }
        leaveSource()
        reject(PromiseError.cancelled)
    }

    /// Adds a hook that a cancel runs, or runs it immediately if the promise was already canceled. The hook receives
    /// the promise, which it must not retain.
    final func onCancel(_ hook: @escaping Run) {
        if withState({ $0.onCancel(hook) }) { Trampoline.run(Work(promise: self, body: hook)) }
    }
}
