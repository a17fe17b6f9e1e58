import Dispatch

/// The part of a promise that does not depend on its value: state, handlers, error, cancellation.
///
/// Not generic on purpose: shared code compiled once stays fast where generic code that is not specialised would
/// not. This class is public only because `Promise` inherits from it. It is not API.
public class _AnyPromise: _Handler, @unchecked Sendable {
    // Unchecked: as its superclass. All fields below are guarded by its own lock; `failure` is written once, and may
    // be read without the lock by whoever was told, through a lock, that the promise has settled.

    /// Stops the work behind this promise. What it waits for in turn goes into the list, so that cancelling never
    /// recurses, however deep promises are nested.
    typealias CancelHook = (_ alsoCancel: inout [_AnyPromise]) -> Void

    /// What has happened to it.
    struct Marks: OptionSet {
        let rawValue: UInt8

        /// Somebody waits, or has looked.
        static let observed = Marks(rawValue: 1)
        static let cancelled = Marks(rawValue: 2)
        /// Not all that wait want the default executor.
        static let mixed = Marks(rawValue: 4)
    }

    // Small fields first: they fill the gap the superclass leaves. A promise of at most 120 bytes is one that glibc
    // allocates the fast way.
    @exclusivity(unchecked) final var marks = Marks()
    /// A guarantee's: cancelling asks its source to stop, but never rejects.
    @exclusivity(unchecked) @usableFromInline final var neverRejects = false
    /// It was made with a value, before anyone else could see it, so that nobody needs a lock to know its state.
    @usableFromInline final let isMadeFulfilled: Bool
    @exclusivity(unchecked) final var handlers = HandlerList()
    /// The error, once rejected.
    @exclusivity(unchecked) @usableFromInline final var failure: (any Error)?
    /// In a box, because few promises have one.
    @exclusivity(unchecked) final var cancelHook: Box<CancelHook>?
    /// Handlers registered and not cancelled.
    @exclusivity(unchecked) final var dependents: Int32 = 0
    /// Handlers in the list that were cancelled and wait to be swept out.
    @exclusivity(unchecked) final var detached: Int32 = 0

    @usableFromInline
    init(role: Role, job: Job?, isMadeFulfilled: Bool) {
        self.isMadeFulfilled = isMadeFulfilled
        super.init(role: role, isPromise: true, job: job)
        if isMadeFulfilled { state = .fulfilled }
    }

    deinit {
        // What is still in the list was cancelled. Letting go one by one keeps a long list from recursing.
        while let handler = handlers.popFirst() { handler.release() }
        if let failure, !marks.contains(.observed), !failure.isCancelled {
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
        if let flags { handler.queueFlags = UInt8(truncatingIfNeeded: flags.rawValue) }
        handler.upstream = self
        link(handler)
    }

    @inline(__always)
    final func link(_ handler: _Handler) {
        if isMadeFulfilled {
            DeliveryQueue.shared.deliver(Unmanaged.passRetained(handler), after: .fulfilled)
            return
        }
        lock()
        marks.insert(.observed)
        guard state == .pending else {
            let state = state
            unlock()
            DeliveryQueue.shared.deliver(Unmanaged.passRetained(handler), after: state)
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
        if handler.queue != nil { marks.insert(.mixed) }
        handlers.append(Unmanaged.passRetained(handler))
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
        role = [.values, .plumbing, .promise]
        queue = nil
        // A guarantee that was cancelled is still pending, but hurries what it comes to wait for.
        link = marks.contains(.cancelled) ? .muted : .unlinked
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
    ///
    /// They are sent under the lock: whoever sees that this promise has settled, and adds a handler, comes after them.
    @usableFromInline
    final func _finish(_ outcome: State) {
        state = outcome
        if !handlers.isEmpty {
            var waiting = handlers.takeAll()
            if marks.contains(.mixed) {
                while let handler = waiting.popFirst() { DeliveryQueue.shared.deliver(handler, after: outcome) }
            } else {
                DeliveryQueue.shared.append(waiting, after: outcome)
            }
        }
        if cancelHook == nil, upstream == nil, job == nil {
            unlock()
        } else {
            unlockLettingGo()
        }
    }

    /// Gives up the lock, and what nobody needs any more; that comes second, as foreign code may run as it goes.
    @inline(never)
    private func unlockLettingGo() {
        let hook = cancelHook.take()
        let source = upstream.take()
        let dead = job.take()
        unlock()
        withExtendedLifetime(hook) {}
        withExtendedLifetime(source) {}
        withExtendedLifetime(dead) {}
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
