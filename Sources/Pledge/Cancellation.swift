internal import PledgeLock

extension PromiseStorage {
    /// Cancels the promise. Also cancels the promises that it waits for, unless something else waits for them.
    ///
    /// A cancel has two phases:
    ///
    /// 1. The cancel goes up, from this promise to its sources, and marks each promise that it reaches as canceled. A
    ///    source is marked only after all promises that wait for the source were marked.
    /// 2. The cancel goes down again, in the opposite order. Each promise rejects at once, or waits for the cleanups
    ///    above it.
    ///
    /// In a chain of plain operators, that is all: each promise rejects at once, and then the hooks of the work run.
    /// Most of the code below is for guarantees, which can't reject, and for `ensure`s, which others have to wait for.
    ///
    /// - Parameters:
    ///   - error: The error that this promise rejects with. The promises above it reject with
    ///     ``PromiseError/cancelled``.
    ///   - unlessAwaited: Whether to cancel this promise only if it has no dependents.
    ///   - waits: Whether this promise rejects only after the cleanups above it have ended.
    final func cancel(
        with error: any Error = PromiseError.cancelled, unlessAwaited: Bool = false, waits: Bool = true
    ) {
        let outer = pledge_releasing()
        pledge_set_releasing(Unmanaged.passUnretained(self).toOpaque())
        defer { pledge_set_releasing(outer) }
        Trampoline.holdingSteps {
            var ahead = [self]
            var stops = [PromiseStorage]()
            var below = [PromiseStorage]()
            var reached: [(promise: PromiseStorage, hooks: [Run])] = []
            while let promise = ahead.popLast() {
                let isEnd = promise === self
                let own = isEnd ? error : PromiseError.cancelled
                if let hooks = promise.markCancelled(with: own, unlessAwaited: unlessAwaited || !isEnd) {
                    reached.append((promise, hooks))
                    ahead += promise.leaveSource()
                } else if promise.isCancelled {
                    stops.append(promise)
                }
            }
            while let (promise, hooks) = reached.popLast() {
                // The hooks are steps of the trampoline, so they run only after both phases.
                for hook in hooks { Trampoline.run(Work(promise: promise, body: hook)) }
                below += promise.finishCancel(waits: waits || promise !== self).filter { $0 !== reached.last?.promise }
            }
            // The promises in `below` wait for a guarantee whose value may now take long. If another cancel has already
            // canceled one of these promises, its second phase is repeated, because the result of that phase may now be
            // different.
            for promise in below where promise.isCancelled { promise.finishCancelAgain() }
            for promise in stops { while promise.breakCircle() {} }
        }
    }

    /// Marks the promise as canceled. Returns the cancel hooks to run, or nil if the promise can't or must not be
    /// canceled.
    private final func markCancelled(with error: any Error, unlessAwaited: Bool) -> [Run]? {
        withState { state in
            let hooks = state.cancel(unlessAwaited: unlessAwaited)
            // From now on, the promise can only settle with this error. Guarantees are excluded, because they don't
            // reject.
            if hooks != nil, !state.has(.guarantee) { failure = error }
            return hooks
        }
    }

    /// Stops waiting for the source. A guarantee or an `ensure` continues to wait, but no longer counts as a dependent
    /// of the source.
    ///
    /// Returns the promises that this promise waited for. The caller cancels them, unless something else waits for
    /// them.
    private final func leaveSource() -> [PromiseStorage] {
        let (source, ticket, role) = withState { ($0.source, $0.ticket, $0.role) }
        return switch role {
        case .guarantee, .ensure: source?.uncount(ticket, holds: true) ?? []
        case .other: source?.unsubscribe(ticket) ?? []
        }
    }

    /// Performs the second phase of a cancel for this promise, which the first phase has marked as canceled:
    ///
    /// - A guarantee continues to wait for its value.
    /// - An `ensure` continues to wait for its source, and then runs its closure. But if the source continues for
    ///   something else, the `ensure` runs its closure as soon as the cleanups above it have ended.
    /// - Any other promise rejects as soon as the cleanups above it have ended.
    ///
    /// If the promise is a guarantee, and it turns out that its value may take long, returns the canceled promises that
    /// wait for the guarantee. The caller repeats the second phase for these promises.
    private final func finishCancel(waits: Bool = true) -> [PromiseStorage] {
        let (source, ticket, role) = withState { ($0.source, $0.ticket, $0.role) }
        let left = waits ? source?.unfinished() ?? Unfinished() : Unfinished()
        source?.endCanceled(after: left.cleanup)
        switch role {
        case .guarantee:
            if left.marks.contains(.long) { source?.uncount(ticket, holds: false) }
            return withState { $0.markUnfinished(left.cleanup, left.marks) }.compactMap(\.promise)
        case .ensure:
            if left.marks.contains(.continues), run(after: left.cleanup, { $0.cleanUp() }) == nil { cleanUp() }
        case .other:
            if let cleanup = left.cleanup, let ticket = run(after: cleanup, { $0.rejectCanceled() }) {
                withState { $0.setSource(cleanup, ticket: ticket) }
            } else {
                rejectCanceled()
            }
        }
        return []
    }

    /// Repeats the second phase of a cancel for this promise and for the canceled promises below it. This is needed if
    /// a canceled guarantee has begun to wait for another source, or if its value may now take long.
    final func finishCancelAgain() {
        Trampoline.holdingSteps {
            var ahead = [self]
            while let promise = ahead.popLast() { ahead += promise.finishCancel().filter(\.isCancelled) }
        }
    }

    /// Runs the closure of a canceled `ensure` now, without waiting for the source. Does nothing if the closure has
    /// run, or is already about to.
    final func cleanUp() {
        guard let (source, ticket) = withState({ $0.takeSource() }),
            let handler = (source as? PromiseStorage)?.release(ticket)
        else { return }
        lock()
        sendAndUnlock(handler)
    }

    /// Runs `step` for this promise once a cleanup has ended, and returns the ticket of the handler that waits for the
    /// cleanup.
    ///
    /// If there is no cleanup, or if the cleanup has already ended, returns nil, and the caller runs the step itself.
    /// Running a step a second time has no effect.
    private final func run(after cleanup: PromiseStorage?, _ step: @escaping Run) -> Ticket? {
        cleanup?.observe(for: .placeholder, .uncounted) { [weak self] _ in self.map(step) }
    }

    /// Returns a promise that settles once all of these cleanups have ended, or nil if there are no cleanups.
    static func all(_ cleanups: [PromiseStorage]) -> PromiseStorage? {
        guard let first = cleanups.first, cleanups.contains(where: { $0 !== first }) else { return cleanups.first }
        let all = Join(cleanups, until: { _ in false }).output { (all: Promise<Void>, _) in all.storage.fulfill(()) }
        // The new promise is marked as a canceled guarantee for the sake of `breakCircle`. That method continues its
        // search through canceled promises, but never ends the wait of a guarantee.
        all.storage.withState { $0.set([.cancelled, .guarantee]) }
        return all.storage
    }

    /// Adds a cancel hook, which is a closure that runs when the promise is canceled. If the promise was already
    /// canceled, runs the hook immediately. The hook receives the promise as its argument, and must not retain it.
    final func onCancel(_ hook: @escaping Run) {
        if withState({ $0.onCancel(hook) }) { Trampoline.run(Work(promise: self, body: hook)) }
    }
}
