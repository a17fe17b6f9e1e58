import Dispatch

/// The part of a promise that does not depend on its value: state, handlers, error, cancellation.
///
/// Not generic on purpose: shared code compiled once stays fast where generic code that is not specialised would
/// not. This class is public only because `Promise` inherits from it. It is not API.
public class _AnyPromise: _Handler, @unchecked Sendable {
    // Unchecked: as its superclass. All fields below are guarded by its own lock; `failure` is written once, and may
    // be read without the lock by whoever was told, through a lock, that the promise has settled.

    @exclusivity(unchecked) private var handlers = HandlerList()
    /// The error, once rejected.
    @exclusivity(unchecked) @usableFromInline final var failure: (any Error)?
    /// Stops the work behind this promise. What it waits for in turn goes into the list, so that cancelling never
    /// recurses, however deep promises are nested.
    typealias CancelHook = (_ alsoCancel: inout [_AnyPromise]) -> Void

    @exclusivity(unchecked) private var cancelHook: CancelHook?
    /// Handlers registered and not cancelled.
    @exclusivity(unchecked) private var dependents: Int32 = 0
    /// Handlers in the list that were cancelled and wait to be swept out.
    @exclusivity(unchecked) private var detached: Int32 = 0
    @exclusivity(unchecked) private var needsSorting = false
    @exclusivity(unchecked) private var isObserved = false
    @exclusivity(unchecked) private var wasCancelled = false
    /// A guarantee's: cancelling asks its source to stop, but never rejects.
    @exclusivity(unchecked) @usableFromInline final var neverRejects = false

    @usableFromInline
    init(role: Role, job: Job?) {
        super.init(role: role, isPromise: true, job: job)
    }

    deinit {
        // What is still in the list was cancelled. Letting go one by one keeps a long list from recursing.
        while let handler = handlers.popFirst() { _ = handler }
        if let failure, !isObserved, !failure.isCancelled {
            PromiseConfiguration.log(.unhandled(failure, type: "\(type(of: self))"))
        }
    }

    // MARK: Waiting

    /// Adds a handler, which runs once this promise has settled, after those registered before it.
    @usableFromInline
    final func _register(_ handler: _Handler, on queue: DispatchQueue? = nil, flags: DispatchWorkItemFlags? = nil) {
        if let queue {
            if queue === DeliveryQueue.shared.queue { handler.role.insert(.plumbing) } else { handler.queue = queue }
        }
        if let flags { handler.queueFlags = UInt32(truncatingIfNeeded: flags.rawValue) }
        handler.upstream = self
        link(handler)
    }

    @inline(__always)
    final func link(_ handler: _Handler) {
        lock()
        isObserved = true
        guard state == .pending else {
            let state = state
            unlock()
            handler.deliver(after: state)
            return
        }
        switch handler.link {
        case .unlinked:
            handler.link = .linked
            dependents += 1
        case .muted:
            break
        case .linked, .detached:
            // Cancelled on its way here.
            return unlock()
        }
        if handler.queue != nil { needsSorting = true }
        handlers.append(handler)
        unlock()
    }

    /// Makes this promise, which is pending and owned by its running job, follow `inner`.
    ///
    /// - Parameter forward: copies a fulfilled value; it captures nothing, so it costs no allocation.
    @usableFromInline
    final func _adopt(_ inner: _AnyPromise, forward: @escaping Job) {
        guard inner !== self else {
            _reject(PromiseError.returnedSelf)
            return
        }
        lock()
        guard state == .pending else {
            // Cancelled while its job ran: nobody is left to use what the job began.
            unlock()
            inner.cancelIfUnused()
            return
        }
        role = [.values, .plumbing]
        queue = nil
        // A guarantee that was cancelled is still pending, but hurries what it comes to wait for.
        link = wasCancelled ? .muted : .unlinked
        upstream = inner
        job = forward
        unlock()
        inner.link(self)
        // A cancel before or between the two did not find this promise in the list of `inner`.
        if isCancelled { inner.cancelIfUnused() }
    }

    // MARK: Settling

    /// Rejects, unless settled.
    @usableFromInline
    final func _reject(_ error: any Error) {
        lock()
        guard state == .pending else { return unlock() }
        failure = error
        _finish(.rejected)
    }

    /// Ends the pending state and sends the handlers on their way. Called with the lock held; gives it up.
    @usableFromInline
    final func _finish(_ outcome: State) {
        var waiting = handlers.takeAll()
        // What these hold may run foreign code as it goes, so it goes after the lock.
        let dead = cancelHook != nil || job != nil ? (cancelHook.take(), upstream.take(), job.take()) : nil
        state = outcome
        unlock()
        if dead != nil { withExtendedLifetime(dead) {} }
        guard !waiting.isEmpty else { return }
        if needsSorting {
            while let handler = waiting.popFirst() { handler.deliver(after: outcome) }
        } else {
            DeliveryQueue.shared.append(waiting, after: outcome)
        }
    }

    // MARK: Looking

    /// The state, without that counting as having handled an error.
    @usableFromInline
    final func peekState() -> State {
        lock()
        defer { unlock() }
        return state
    }

    /// The state, read under the lock; looking at an error counts as having handled it.
    @usableFromInline
    final func _observedState() -> State {
        lock()
        defer { unlock() }
        if state == .rejected { isObserved = true }
        return state
    }

    /// Was it cancelled? If it is a guarantee's, it may still be pending.
    @usableFromInline
    final var isCancelled: Bool {
        lock()
        defer { unlock() }
        return wasCancelled
    }

    // MARK: Cancelling

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
        guard state == .pending, !wasCancelled else {
            unlock()
            return nil
        }
        wasCancelled = true
        let hook = cancelHook.take()
        let source = upstream
        let last = role.contains(.always) ? job.take() : nil
        if neverRejects {
            unlock()
        } else {
            failure = PromiseError.cancelled
            _finish(.rejected)
        }
        hook?(&others)
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
            while let handler = swept.popFirst() { _ = handler }
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
            if handler.link == .detached {
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
        if wasCancelled {
            unlock()
            var others: [_AnyPromise] = []
            hook(&others)
            for other in others { other.cancel() }
            return
        }
        guard state == .pending else { return unlock() }
        if let earlier = cancelHook {
            cancelHook = { others in
                earlier(&others)
                hook(&others)
            }
        } else {
            cancelHook = hook
        }
        unlock()
    }
}
