import Dispatch

/// The part of a promise that does not depend on its value: state, handlers, error, cancellation.
///
/// It is also what waits for a promise. A derived promise *is* the handler it registers upstream, so that a hop costs
/// one allocation; a handler that is no promise is one of these without a value. Handlers are linked through `next`,
/// first in their promise's list and then in the delivery queue; a handler is in one list at a time.
///
/// Not generic on purpose: shared code compiled once stays fast where generic code that is not specialised would
/// not. This class is public only because `Promise` inherits from it. It is not API.
public class _AnyPromise: @unchecked Sendable {
    // Unchecked: all fields below are guarded by the promise's own lock, if they do not say otherwise. Its error may be
    // read without the lock by whoever was told, through a lock, that the promise has settled.

    /// What a handler does once the promise it waits for, the source, has settled.
    @usableFromInline
    typealias Job = (_ handler: _AnyPromise, _ source: _AnyPromise) -> Void

    // In an order that leaves no gaps. A promise of at most 120 bytes is one that glibc allocates the fast way.

    /// What follows in the list it is in: guarded by the lock of that list's owner, which also owns what follows.
    @exclusivity(unchecked) final var next: Unmanaged<_AnyPromise>?
    @exclusivity(unchecked) final var origin = Origin.none
    /// What to do once the source has settled.
    @exclusivity(unchecked) @usableFromInline final var job: Job?
    @exclusivity(unchecked) final var handlers = HandlerList()
    /// Never taken away once it is there.
    @exclusivity(unchecked) final var extras: Extras?
    /// Changes only before the handler is registered.
    @exclusivity(unchecked) final var role: Role
    @exclusivity(unchecked) @usableFromInline final var state = State.pending
    /// Guarded by the lock of the promise it waits for.
    @exclusivity(unchecked) final var link = Link.unlinked
    @exclusivity(unchecked) final var marks = Marks()
    /// A guarantee's: cancelling asks its source to stop, but never rejects.
    @exclusivity(unchecked) @usableFromInline final var neverRejects = false
    /// It was made with a value, before anyone else could see it, so that nobody needs a lock to know its state.
    @usableFromInline final let isMadeFulfilled: Bool

    @usableFromInline
    init(role: Role, job: Job?, isMadeFulfilled: Bool = false) {
        self.role = role
        self.job = job
        self.isMadeFulfilled = isMadeFulfilled
        if isMadeFulfilled { state = .fulfilled }
    }

    deinit {
        if !handlers.isEmpty { letHandlersGo() }
        if state == .rejected, !marks.contains(.observed) { report() }
    }

    // Two functions, so that the usual end is short.

    @inline(never)
    private func letHandlersGo() {
        // What is still in the list was cancelled. Letting go one by one keeps a long list from recursing.
        while let handler = handlers.popFirst() { handler.release() }
    }

    @inline(never)
    private func report() {
        if let failure, !failure.isCancelled { PromiseConfiguration.log(.unhandled(failure, type: typeName)) }
    }

    /// A handler that is no promise.
    static func handler(_ job: @escaping Job) -> _AnyPromise {
        _AnyPromise(role: [.values, .rejections, .plumbing, .bare], job: job)
    }

    /// For those who read about it.
    var typeName: String { "handler" }

    /// Lets the caller's closure go, where it is not in the job. Only for who has taken the job.
    func letBodyGo() {}

    /// The error, once rejected.
    @usableFromInline
    final var failure: (any Error)? {
        if case .failure(let error) = origin { error } else { nil }
    }

    /// What it waits for.
    final var source: _AnyPromise? {
        if case .source(let source) = origin { source } else { nil }
    }

    // MARK: Waiting

    /// Adds a handler, which runs once this promise has settled, after those registered before it.
    @inlinable
    final func _register(_ handler: _AnyPromise, on queue: DispatchQueue? = nil, flags: DispatchWorkItemFlags? = nil) {
        if queue != nil || flags != nil { handler._place(on: queue, flags: flags) }
        _register(handler)
    }

    /// Says where and how a handler is to run. Without a queue, the flags are for the one that is configured.
    @usableFromInline
    final func _place(on queue: DispatchQueue?, flags: DispatchWorkItemFlags?) {
        if queue === DeliveryQueue.shared.queue {
            role.insert(.plumbing)
        } else {
            let place = extras ?? Extras()
            place.queue = queue
            place.queueFlags = flags ?? []
            extras = place
            role.insert(.elsewhere)
        }
    }

    /// Where and how to run after this outcome, if it matters.
    @inline(__always)
    final func place(after outcome: State) -> Extras? {
        role.contains(.elsewhere) && role.cares(about: outcome) ? extras : nil
    }

    @usableFromInline
    final func _register(_ handler: _AnyPromise) {
        handler.origin = .source(self)
        accept(Unmanaged.passRetained(handler))
    }

    /// Takes over a handler that knows already what it waits for, or counts.
    @inline(__always)
    final func accept(_ handler: Unmanaged<_AnyPromise>) {
        if isMadeFulfilled { return sendAlone(handler, after: .fulfilled) }
        lock()
        marks.insert(.observed)
        guard state == .pending else {
            let state = state
            unlock()
            return sendAlone(handler, after: state)
        }
        switch handler._withUnsafeGuaranteedRef({ $0.link }) {
        case .unlinked:
            handler._withUnsafeGuaranteedRef { $0.link = .linked }
            if let extras { extras.waiting? += 1 }
        case .muted:
            break
        case .linked, .detached:
            // Cancelled on its way here.
            unlock()
            return handler.release()
        }
        if handler._withUnsafeGuaranteedRef({ $0.role.isSpecial }) { marks.insert(.mixed) }
        handlers.append(handler)
        unlock()
    }

    private func sendAlone(_ handler: Unmanaged<_AnyPromise>, after outcome: State) {
        if isDue(handler, after: outcome) {
            DeliveryQueue.shared.deliver(handler, after: outcome)
        } else {
            handler.release()
        }
    }

    /// Is it to run after this outcome? Not if it only counts, and waits for another.
    private func isDue(_ handler: Unmanaged<_AnyPromise>, after outcome: State) -> Bool {
        handler._withUnsafeGuaranteedRef { handler in
            guard handler.role.contains(.counts) else { return true }
            guard let gather = handler.extras?.gather, gather.isDecided(by: outcome) else { return false }
            handler.origin = .source(self)
            return true
        }
    }

    /// Does what it was registered for, unless it was cancelled meanwhile. Called once, off every lock.
    final func run() {
        lock()
        guard state == .pending, case .source(let source) = origin, let job = job.take() else { return unlock() }
        origin = .none
        if role.contains(.bare) { state = .fulfilled }
        unlock()
        if source.state == .rejected, !role.contains(.rejections), let error = source.failure {
            _reject(error)
            letBodyGo()
        } else {
            job(self, source)
        }
    }

    /// Makes this promise, which is pending and owned by its running job, follow `inner`.
    ///
    /// - Parameter forward: copies a fulfilled value; it captures nothing, so it costs no allocation.
    @usableFromInline
    final func _adopt(_ inner: _AnyPromise, forward: @escaping Job) {
        guard inner !== self else {
            if neverRejects {
                // Not a precondition: a release build would stop without the sentence.
                fatalError("Pledge: a then returned the very guarantee it was making, which could never settle.")
            }
            return _reject(PromiseError.returnedSelf)
        }
        lock()
        guard state == .pending else {
            // Cancelled while its job ran: nobody is left to use what the job began.
            unlock()
            inner.cancelIfUnused()
            return
        }
        role = [.values, .plumbing]
        // A guarantee that was cancelled is still pending, but hurries what it comes to wait for.
        link = marks.contains(.cancelled) ? .muted : .unlinked
        origin = .source(inner)
        job = forward
        unlock()
        inner.accept(Unmanaged.passRetained(self))
        // A cancel before or between the two did not find this promise in the list of `inner`.
        if isCancelled { inner.cancelIfUnused() }
    }

    // MARK: Settling

    /// Rejects, unless settled.
    @usableFromInline
    final func _reject(_ error: any Error) {
        lock()
        guard state == .pending else { return unlock() }
        finish(.rejected, .failure(error))
    }

    /// Fulfils. Called with the lock held, after the value was set; gives the lock up.
    @usableFromInline
    final func _finishFulfilled() {
        finish(.fulfilled, .none)
    }

    /// Ends the pending state and sends the handlers on their way. Called with the lock held; gives it up.
    ///
    /// They are sent under the lock: whoever sees that this promise has settled, and adds a handler, comes after them.
    @inline(__always)
    final func finish(_ outcome: State, _ newOrigin: Origin) {
        state = outcome
        let oldOrigin = origin
        // Before the handlers are sent, which read it without the lock.
        origin = newOrigin
        if job == nil, extras == nil, !marks.contains(.mixed) {
            if !handlers.isEmpty { DeliveryQueue.append(handlers.takeAll(), after: outcome) }
            unlock()
        } else {
            finishSpecially(outcome)
        }
        withExtendedLifetime(oldOrigin) {}
    }

    /// For handlers that need a look each, and for a promise with something to let go. That comes after the lock, as
    /// foreign code may run as it goes.
    @inline(never)
    private func finishSpecially(_ outcome: State) {
        var waiting = handlers.takeAll()
        var spent = HandlerList()
        if !marks.contains(.mixed) { DeliveryQueue.append(waiting.takeAll(), after: outcome) }
        while let handler = waiting.popFirst() {
            if isDue(handler, after: outcome) {
                DeliveryQueue.shared.deliver(handler, after: outcome)
            } else {
                spent.append(handler)
            }
        }
        let dead = job.take()
        let hooks = extras?.takeCancelHooks()
        // The queue stays: who delivers this promise looks at it without the lock.
        unlock()
        while let handler = spent.popFirst() { handler.release() }
        if dead != nil { letBodyGo() }
        withExtendedLifetime((dead, hooks)) {}
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
        if state == .rejected { marks.insert(.observed) }
        return state
    }

    /// Was it cancelled? If it is a guarantee's, it may still be pending.
    @usableFromInline
    final var isCancelled: Bool {
        lock()
        defer { unlock() }
        return marks.contains(.cancelled)
    }
}
