import Dispatch

extension _AnyPromise {
    /// Rejects with ``PromiseError/cancelled`` if still pending, and asks what it waits for to stop as well, as far up
    /// the chain as nobody else waits for it. Twice, or after the promise has settled, it does nothing.
    public final func cancel() {
        var current = self
        var others: [_AnyPromise] = []
        // A loop, so that a chain of any length is cancelled without growing the stack.
        while true {
            if let source = current.cancelAlone(&others) {
                current = source
            } else if let other = others.popLast() {
                current = other
            } else {
                return
            }
        }
    }

    /// Cancels this promise only.
    ///
    /// - Returns: what it waited for, if nobody else does.
    private func cancelAlone(_ others: inout [_AnyPromise]) -> _AnyPromise? {
        lock()
        guard state == .pending, !marks.contains(.cancelled) else {
            unlock()
            return nil
        }
        marks.insert(.cancelled)
        let hook = cancelHook.take()
        let source = upstream
        let last = role.contains(.always) ? job.take() : nil
        if neverRejects {
            unlock()
        } else {
            failure = PromiseError.cancelled
            _finish(.rejected)
        }
        hook?.content(&others)
        if let last { runLast(last) }
        // A guarantee stays in the list: cancelled or not, it needs the outcome to settle.
        guard let source, source.detach(self, staying: neverRejects) else { return nil }
        return source
    }

    /// Runs the body of an `ensure` that was cancelled before its time had come: it is to run in any case.
    private func runLast(_ job: @escaping Job) {
        let handler = _Handler(role: role, isPromise: false) { _, source in job(source, source) }
        _register(handler, on: queue, flags: DispatchWorkItemFlags(rawValue: UInt(queueFlags)))
    }

    /// Takes a handler out, because it no longer wants to know.
    ///
    /// - Parameter staying: it stays in the list, because it needs the outcome all the same, and only stops counting.
    /// - Returns: whether it was the last one, so that this promise may be cancelled too.
    final func detach(_ handler: _Handler, staying: Bool) -> Bool {
        var swept = HandlerList()
        lock()
        defer {
            unlock()
            while let handler = swept.popFirst() { handler.release() }
        }
        guard state == .pending else { return false }
        switch handler.link {
        case .unlinked:
            handler.link = staying ? .muted : .detached
            return false
        case .linked:
            handler.link = staying ? .muted : .detached
        case .muted, .detached:
            return false
        }
        dependents -= 1
        if !staying {
            detached += 1
            if detached > 8, detached > dependents { swept = sweep() }
        }
        return dependents == 0
    }

    /// Releases a handler of ours that is no promise: its job will not run any more.
    ///
    /// - Returns: whether it was the last one, so that this promise may be cancelled too.
    final func release(_ handler: _Handler) -> Bool {
        handler.lock()
        let isWaiting = handler.state == .pending && handler.upstream != nil
        let job = handler.job.take()
        let upstream = handler.upstream.take()
        handler.state = .fulfilled
        handler.unlock()
        withExtendedLifetime((job, upstream)) {}
        return isWaiting && detach(handler, staying: false)
    }

    /// Cancels, if nobody waits.
    final func cancelIfUnused() {
        lock()
        let isUnused = state == .pending && dependents == 0
        unlock()
        if isUnused { cancel() }
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
        detached = 0
        return dropped
    }

    /// Sets what a cancel does to the work behind this promise; runs it at once if cancelled already.
    final func onCancel(_ hook: @escaping CancelHook) {
        lock()
        if marks.contains(.cancelled) {
            unlock()
            var others: [_AnyPromise] = []
            hook(&others)
            for other in others { other.cancel() }
            return
        }
        guard state == .pending else { return unlock() }
        if let earlier = cancelHook {
            cancelHook = Box { others in
                earlier.content(&others)
                hook(&others)
            }
        } else {
            cancelHook = Box(hook)
        }
        unlock()
    }
}
