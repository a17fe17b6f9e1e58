internal import PledgeLock

extension PromiseStorage {
    /// Cancels the promise (if `unlessAwaited`, only without dependents), and the promises it waits for as far as
    /// nothing else waits for those. If `waits`, the promise rejects only after the cleanups further up have ended.
    ///
    /// First decides which promises to reach, from the end of the chain to its sources: each after all that wait for
    /// it. In the opposite order, they then reject, or wait for the cleanups further up.
    final func cancel(
        with error: any Error = PromiseError.cancelled, unlessAwaited: Bool = false, waits: Bool = true
    ) {
        let outer = pledge_promise()
        pledge_set_promise(Unmanaged.passUnretained(self).toOpaque())
        defer { pledge_set_promise(outer) }
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
                for hook in hooks { Trampoline.run(Work(promise: promise, body: hook)) }
                below += promise.finishCancel(waits: waits || promise !== self).filter { $0 !== reached.last?.promise }
            }
            // What another cancel reached meanwhile waits for a guarantee that now may take long.
            for promise in below where promise.isCancelled { promise.finishCancelAgain() }
            for promise in stops { while promise.breakCircle() {} }
        }
    }

    /// Marks the promise as canceled, and returns the hooks to run, or nil if there is nothing to do.
    private final func markCancelled(with error: any Error, unlessAwaited: Bool) -> [Run]? {
        withState { state in
            let hooks = state.cancel(unlessAwaited: unlessAwaited)
            // Whatever it would settle with, it settles with this error.
            if hooks != nil, !state.has(.guarantee) { failure = error }
            return hooks
        }
    }

    /// Stops waiting for the source or, if the promise has to wait on, stops counting as a dependent. Returns the
    /// promises to cancel unless something else waits for them.
    private final func leaveSource() -> [PromiseStorage] {
        let (source, ticket, isGuarantee, isEnsure) = withState { state in
            (state.source, state.ticket, state.has(.guarantee), state.has(.ensure))
        }
        guard isGuarantee || isEnsure else { return source?.unsubscribe(ticket) ?? [] }
        return source?.uncount(ticket, holds: true) ?? []
    }

    /// Rejects a canceled promise once the cleanups further up have ended. An `ensure` waits for its closure, and a
    /// guarantee for its value: if that may now take long, returns what waits for the guarantee.
    private final func finishCancel(waits: Bool = true) -> [PromiseStorage] {
        let (source, ticket, isGuarantee, isEnsure) = withState { state in
            (state.source, state.ticket, state.has(.guarantee), state.has(.ensure))
        }
        let left = waits ? source?.unfinished() ?? Unfinished() : Unfinished()
        if isGuarantee {
            if left.marks.contains(.long) { source?.uncount(ticket, holds: false) }
            return withState { $0.markUnfinished(left.cleanup, left.marks) }.map(\.work.promise)
        }
        if isEnsure {
            if left.marks.contains(.continues), run(after: left.cleanup, { $0.cleanUp() }) == nil { cleanUp() }
        } else if let cleanup = left.cleanup, let ticket = run(after: cleanup, { $0.rejectCanceled() }) {
            withState { $0.setSource(cleanup, ticket: ticket) }
        } else {
            rejectCanceled()
        }
        return []
    }

    /// Descends from a canceled guarantee that has begun to wait for another source.
    final func finishCancelAgain() {
        Trampoline.holdingSteps {
            var ahead = [self]
            while let promise = ahead.popLast() { ahead += promise.finishCancel().filter(\.isCancelled) }
        }
    }

    /// Finds promises that wait for one another in a circle after a cancel, from this one upward, and ends the wait of
    /// one of them. Returns whether there were any. The last cancel to reach a promise of the circle stops at one that
    /// was canceled before, and finds all of them canceled.
    private final func breakCircle() -> Bool {
        // A depth-first search: the promises on the path to the current one are open.
        var path = [self]
        var isOpen = [ObjectIdentifier: Bool]()
        while let promise = path.last {
            let isNew = isOpen[ObjectIdentifier(promise)] == nil
            isOpen[ObjectIdentifier(promise)] = isNew
            if !isNew { path.removeLast() }
            let source = promise.withState { isNew && $0.has(.cancelled) ? $0.source : nil }
            for next in source?.promises ?? [] where isOpen[ObjectIdentifier(next)] != false {
                guard isOpen[ObjectIdentifier(next)] == true else {
                    path.append(next)
                    continue
                }
                let circle = path.drop { $0 !== next }.filter { isOpen[ObjectIdentifier($0)] == true }
                // The source of the others, as it waits for the one at which the cancel began. A guarantee can't reject.
                guard let top = circle.last(where: { $0.withState { !$0.has(.guarantee) } }) else { continue }
                if top.withState({ $0.has(.ensure) }) { top.cleanUp() } else { top.rejectCanceled() }
                return true
            }
        }
        return false
    }

    /// Runs the closure of a canceled `ensure`, unless it is due or has run.
    private final func cleanUp() {
        guard let (source, ticket) = withState({ $0.takeSource() }),
            let handler = (source as? PromiseStorage)?.release(ticket)
        else { return }
        lock()
        sendAndUnlock(handler)
    }

    /// Runs a step for this promise once a cleanup has ended. Returns nil if there is none, or it has already ended.
    private final func run(after cleanup: PromiseStorage?, _ step: @escaping Run) -> Ticket? {
        cleanup?.observe(for: .placeholder, .uncounted) { [weak self] _ in self.map(step) }
    }

    /// Returns a promise that settles once all of several cleanups have ended, or nil if there are none.
    static func all(_ cleanups: [PromiseStorage]) -> PromiseStorage? {
        guard let first = cleanups.first, cleanups.contains(where: { $0 !== first }) else { return cleanups.first }
        let all = Join(cleanups, until: { _ in false }).output { (all: Promise<Void>, _) in all.storage.fulfill(()) }
        // So that a circle is found through it.
        all.storage.withState { $0.set([.cancelled, .guarantee]) }
        return all.storage
    }

    /// Adds a hook that a cancel runs, or runs it immediately if the promise was already canceled. The hook receives
    /// the promise, which it must not retain.
    final func onCancel(_ hook: @escaping Run) {
        if withState({ $0.onCancel(hook) }) { Trampoline.run(Work(promise: self, body: hook)) }
    }
}

/// What a promise waits for: another promise, or several of them.
@usableFromInline package class Upstream: LockedObject, @unchecked Sendable {
    // Unchecked: it has no state of its own.

    @usableFromInline override init() { super.init() }

    /// Removes the handler with this ticket (all, if there are several promises), because the promise that waits was
    /// canceled or released. Returns the promises to cancel unless something else waits for them, the last first.
    @discardableResult func unsubscribe(_ ticket: Ticket) -> [PromiseStorage] { [] }

    /// Stops counting the handler as a dependent: its promise was canceled, but waits on for a guarantee or `ensure`.
    /// If `holds`, the handler keeps that promise alive for its closure, but not where the wait could be long.
    @discardableResult func uncount(_ ticket: Ticket, holds: Bool) -> [PromiseStorage] { [] }

    /// The promises that it consists of.
    var promises: [PromiseStorage] { [] }

    /// Returns what a cancel that has reached it leaves unfinished.
    func unfinished() -> Unfinished {
        let all = promises.map { $0.unfinished() }
        return Unfinished(cleanup: .all(all.compactMap(\.cleanup)), marks: all.reduce([]) { $0.union($1.marks) })
    }

    /// Removes handlers. Returns the promises that were still pending, whose errors count as handled.
    static func unsubscribe(_ waited: [(PromiseStorage, Ticket)]) -> [PromiseStorage] {
        let left = waited.flatMap { promise, ticket in promise.unsubscribe(ticket) }
        for promise in left { promise.withState { $0.set(.observed) } }
        return left
    }

    /// Removes handlers whose promises are of no more use to `output`. They continue, unless that was canceled.
    static func unsubscribe(_ waited: [(PromiseStorage, Ticket)], for output: PromiseStorage) {
        let left = unsubscribe(waited)
        if output.isCancelled { left.reversed().forEach { $0.cancel(unlessAwaited: true) } }
    }
}

/// What a cancel leaves unfinished further up.
struct Unfinished {
    /// A promise that settles once the cleanups set off by the cancel have ended; nil if there are none.
    var cleanup: PromiseStorage?
    /// Whether a source continues for another dependent, and whether a guarantee's value may take long.
    var marks: PromiseStorage.State.Marks = []
}
