import Dispatch

extension _AnyPromise {
    /// Rejects with ``PromiseError/cancelled`` if still pending, and asks what it waits for to stop as well, as far up
    /// the chain as nobody else waits for it. Twice, or after the promise has settled, it does nothing.
    public final func cancel() {
        cancel(unlessWaitedFor: false)
    }

    /// Cancels, if nobody waits.
    final func cancelIfUnused() {
        cancel(unlessWaitedFor: true)
    }

    private func cancel(unlessWaitedFor: Bool) {
        var others: [_AnyPromise] = []
        var next = cancelAlone(&others, unlessWaitedFor: unlessWaitedFor)
        // A loop, so that a chain of any length is cancelled without growing the stack. Somebody may have come to wait
        // since `detach` said that nobody does.
        while let current = next ?? others.popLast() {
            next = current.cancelAlone(&others, unlessWaitedFor: true)
        }
    }

    /// Cancels this promise only.
    ///
    /// - Returns: what it waited for, if nobody else does.
    private func cancelAlone(_ others: inout [_AnyPromise], unlessWaitedFor: Bool) -> _AnyPromise? {
        lock()
        guard state == .pending, !marks.contains(.cancelled), !unlessWaitedFor || !hasWaiting else {
            unlock()
            return nil
        }
        marks.insert(.cancelled)
        let hooks = extras?.takeCancelHooks() ?? []
        let source = self.source
        if neverRejects {
            unlock()
        } else {
            if role.contains(.always), let job = job.take() { runFirst(job) }
            finish(.rejected, .failure(PromiseError.cancelled))
        }
        for hook in hooks { hook(&others) }
        // A guarantee stays in the list: cancelled or not, it needs the outcome to settle.
        guard let source, source.detach(Unmanaged.passUnretained(self), staying: neverRejects) else { return nil }
        return source
    }

    /// Lets the body of an `ensure` run that is cancelled before its time had come: it is to run in any case, and before
    /// what follows it. Called with the lock held.
    private func runFirst(_ job: @escaping Job) {
        let handler = _AnyPromise(role: role.union(.bare)) { _, source in job(source, source) }
        handler.origin = .source(self)
        handler.link = .linked
        if role.contains(.elsewhere), let extras { handler._place(on: extras.queue, flags: extras.queueFlags) }
        if handler.role.isSpecial { marks.insert(.mixed) }
        handlers.prepend(Unmanaged.passRetained(handler))
    }

    /// Takes a handler out, because it no longer wants to know.
    ///
    /// - Parameters:
    ///   - handler: not touched, and so need not be there any more, once this promise has settled.
    ///   - staying: it stays in the list, because it needs the outcome all the same, and only stops being waited for.
    /// - Returns: whether it was the last one, so that this promise may be cancelled too.
    final func detach(_ handler: Unmanaged<_AnyPromise>, staying: Bool) -> Bool {
        var swept = HandlerList()
        lock()
        defer {
            unlock()
            while let handler = swept.popFirst() { handler.release() }
        }
        guard state == .pending else { return false }
        let link = handler._withUnsafeGuaranteedRef { $0.link }
        guard link != .detached, !(staying && link == .muted) else { return false }
        handler._withUnsafeGuaranteedRef { $0.link = staying ? .muted : .detached }
        guard link != .unlinked else { return false }
        let wasWaiting = link == .linked
        if handlers.isSingle {
            // The only one: nothing worth counting or sweeping.
            extras?.waiting = nil
            return wasWaiting
        }
        let extras = makeExtras()
        let waiting: Int
        if let before = extras.waiting {
            waiting = wasWaiting ? before - 1 : before
            if !staying { extras.detached += 1 }
        } else {
            waiting = count(.linked)
            extras.detached = count(.detached)
        }
        extras.waiting = waiting
        if !staying, extras.detached > 8, extras.detached > waiting {
            extras.detached = 0
            swept = sweep()
        }
        return wasWaiting && waiting == 0
    }

    private func count(_ link: Link) -> Int {
        var count = 0
        handlers.visit { handler in
            if handler.link == link { count += 1 }
            return false
        }
        return count
    }

    /// Called with the lock held. What is there already is not even written anew, because `place` may be looking.
    private func makeExtras() -> Extras {
        if let extras { return extras }
        let made = Extras()
        extras = made
        return made
    }

    /// Releases a handler of ours that is no promise: its job will not run any more.
    ///
    /// - Returns: whether it was the last one, so that this promise may be cancelled too.
    final func release(_ handler: _AnyPromise) -> Bool {
        handler.lock()
        let isWaiting = handler.state == .pending
        let job = handler.job.take()
        let origin = handler.origin
        handler.origin = .none
        handler.state = .fulfilled
        handler.unlock()
        withExtendedLifetime((job, origin)) {}
        return isWaiting && detach(Unmanaged.passUnretained(handler), staying: false)
    }

    /// Called with the lock held.
    private var hasWaiting: Bool {
        var found = false
        handlers.visit { handler in
            found = handler.link == .linked
            return found
        }
        return found
    }

    /// Takes all cancelled handlers out, to be let go after the lock.
    private func sweep() -> HandlerList {
        var all = handlers.takeAll()
        var dropped = HandlerList()
        while let handler = all.popFirst() {
            if handler._withUnsafeGuaranteedRef({ $0.link }) == .detached {
                dropped.append(handler)
            } else {
                handlers.append(handler)
            }
        }
        return dropped
    }

    /// Sets what a cancel does to the work behind this promise; runs it at once if cancelled already.
    final func onCancel(_ hook: @escaping CancelHook) {
        lock()
        if marks.contains(.cancelled) {
            unlock()
            var others: [_AnyPromise] = []
            hook(&others)
            for other in others { other.cancelIfUnused() }
            return
        }
        if state == .pending { makeExtras().cancelHooks.append(hook) }
        unlock()
    }
}
