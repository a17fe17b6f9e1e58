import Dispatch

/// A promise without its value: a ``PromiseState`` behind a lock. The state's methods return what there is to do, and
/// this class does it.
///
/// This class isn't generic, so that it is compiled only once. It is faster than generic code would be.
@usableFromInline package class PromiseStorage: Upstream, @unchecked Sendable {
    // Unchecked: `state` is only accessed under the lock. `failure`, and the value in a subclass, are written under the
    // lock before the promise settles, and never again. Code that knows that the promise has settled may read them
    // without the lock.
    //
    // Such code sees what another thread has written, for one of two reasons. Code that has read the phase under the
    // lock has taken the lock after the other thread. And a handler reached its thread through that lock or through a
    // queue. `deinit` reads everything without the lock. That is safe, because the release of the last reference sees
    // everything that was done before the other references were released.

    /// The closure of a handler. Its argument is the promise that the closure settles.
    @usableFromInline typealias Run = (PromiseStorage) -> Void
    typealias State = PromiseState<Upstream, Handler, Run>

    // Exclusivity isn't checked, because the lock guarantees it. The check would cost 9 to 43 % of a hop of a chain.
    @exclusivity(unchecked) final var state = State()
    @exclusivity(unchecked) @usableFromInline final var failure: (any Error)?

    #if DEBUG
        @usableFromInline final var origin: (file: StaticString, line: UInt)?
    #endif

    @usableFromInline override init() { super.init() }

    /// If a handler's closure has no promise to settle, it receives this promise, which nobody uses.
    static let placeholder = PromiseStorage()

    /// The type of the promise, for messages.
    var promiseType: String { "Promise" }

    deinit {
        // A guarantee is rejected only if its resolver was released unused, and that was already logged.
        if let failure, state.phase == .rejected, !state.has(.observed), !state.has(.guarantee), !failure.isCancelled {
            PromiseConfiguration.log(.unhandled(failure, type: promiseType, from: originText))
        }
        // A promise that still has a source here was canceled while it waited. It removes its handler from the
        // source in a step of the trampoline, because releasing a long chain of sources must not recurse.
        if let parting = state.takeSource().map({ source, ticket in Work { _ in source.unsubscribe(ticket) } }) {
            Trampoline.run(consume parting)
        }
    }

    // MARK: Inspecting

    /// Whether the promise is fulfilled, or nil while it is pending.
    @usableFromInline final var isFulfilled: Bool? { withState { $0.isFulfilled } }

    /// Returns whether the promise is fulfilled, or nil while it is pending. If it is rejected, its error counts as
    /// handled from now on.
    final func observeOutcome() -> Bool? {
        withState { state in
            if state.phase != .pending { state.set(.observed) }
            return state.isFulfilled
        }
    }

    @usableFromInline final var isPending: Bool { withState { $0.phase == .pending } }
    @usableFromInline final var isCancelled: Bool { withState { $0.has(.cancelled) } }

    @inline(__always) @discardableResult final func withState<Result>(_ body: (inout State) -> Result) -> Result {
        locked { body(&state) }
    }

    // MARK: Settling

    @usableFromInline final func reject(_ error: any Error) { settle { failure = error } }

    /// Rejects a canceled promise with the error that the cancel has stored.
    final func rejectCanceled() { settle(isCancel: true) {} }

    /// Settles the promise if it is pending. `set` stores the value or, to reject the promise, the error (``failure``).
    ///
    /// After a cancel, this method has an effect only if the cancel itself calls it (`isCancel`). The cancel does so
    /// after the cleanups above the promise. An `ensure` is different: it settles after its closure, even if it was
    /// canceled.
    @inline(__always) @usableFromInline final func settle(isCancel: Bool = false, _ set: () -> Void) {
        lock()
        guard state.phase == .pending else { return unlock() }
        if failure == nil {
            set()
        } else if !isCancel, !state.has(.ensure) {
            return unlock()
        }
        let source = state.takeSource()
        let hooks = state.takeHooks()
        if let only = state.settle(failure == nil ? .fulfilled : .rejected) {
            sendAndUnlock(only, isFirst: true)
        } else {
            let hasHandlers = state.has(.sending)
            unlock()
            if hasHandlers { Trampoline.holdingSteps(deliver) }
        }
        // The hooks are released in a step of the trampoline, because releasing what they captured may add further
        // steps.
        if !hooks.isEmpty { Trampoline.run(Work { [hooks = consume hooks] _ in withExtendedLifetime(hooks) {} }) }
        withExtendedLifetime(source) {}
    }

    /// Sends one handler, and unlocks.
    ///
    /// It unlocks only after the handler was submitted to its queue. So if other code sees that the promise has settled
    /// and adds a handler, that handler runs after this one.
    ///
    /// - Parameter isFirst: Whether inline handlers must wait for this handler if they are added before it has run.
    @inline(__always) final func sendAndUnlock(_ handler: consuming Handler, isFirst: Bool = false) {
        let queue = handler.queue(after: state.phase)
        let former = handler.keepPromise()
        let work = (consume handler).work
        if queue.submit(work) {
            unlock()
            return withExtendedLifetime(former) {}
        }
        let isInlining = isFirst && queue.isInline
        if isInlining { state.set(.inlining) }
        unlock()
        withExtendedLifetime(former) {}
        // The step itself releases the work, while the work's promise is the thread's current promise.
        guard isInlining else { return Trampoline.run(consume work, now: !isFirst) }
        var step: Work? = consume work
        Trampoline.holdingSteps {
            if let step = step.take() { Trampoline.run(step) }
            deliverLater()
        }
    }

    /// Sends several handlers to their queues, without holding the lock. Then sends the handlers that were added
    /// meanwhile.
    ///
    /// Each handler becomes a separate block, because on a concurrent queue, a handler may wait for another handler.
    /// Handlers without a queue become steps of the trampoline. Inline handlers that are added before these steps have
    /// run become steps after them.
    private final func deliver() {
        let outcome = withState { $0.phase }
        var isInlining = false
        while case var due = withState({ $0.nextDue(inlining: isInlining) }), !due.isEmpty {
            // The handlers are removed one by one, because copying them would cost as much as the rest of the delivery.
            for index in due.indices {
                _ = due[index].handler?.keepPromise()
                guard let handler = due[index].handler.take() else { continue }
                let queue = handler.queue(after: outcome)
                let work = handler.work
                if queue.submit(work) { continue }
                Trampoline.run(work)
                isInlining = isInlining || queue.isInline
            }
        }
        if isInlining { deliverLater() }
    }

    private final func deliverLater() { Trampoline.run(Work(promise: self) { $0.deliver() }) }

    // MARK: Being waited for

    // After the promise has settled, tickets are no longer valid, and these methods do nothing. If they remove a
    // handler, they release it only after they have unlocked.

    /// Removes the handler with this ticket. Returns the handler, or nil if it is no longer waiting.
    final func release(_ ticket: Ticket) -> Handler? { withState { $0.change(ticket) { _ in nil } } }

    final override func unsubscribe(_ ticket: Ticket) -> [PromiseStorage] { release(ticket) == nil ? [] : [self] }

    final override func uncount(_ ticket: Ticket, holds: Bool) -> [PromiseStorage] {
        withState { $0.change(ticket) { $0.uncounted(holds: holds) } } == nil ? [] : [self]
    }

    final override var promises: [PromiseStorage] { [self] }

    final override func unfinished() -> Unfinished {
        withState { state in
            guard state.phase == .pending else { return Unfinished() }
            guard state.has(.cancelled) else { return Unfinished(marks: [.continues, .long]) }
            guard state.has(.guarantee) else { return Unfinished(cleanup: self) }
            return Unfinished(cleanup: state.cleanup as? PromiseStorage, marks: state.left)
        }
    }
}

/// The storage of a promise with its value. The type parameter is the type of the stored property, so the storage of a
/// `Promise<T>` is a `ValueStorage<T?>`.
///
/// With `T` as the type parameter, each deinit would ask the runtime for the metadata of `T?`, which costs 7 to 18 % of
/// a hop of a chain. With `T?`, the code that destroys the property is found through the metadata of the class.
@usableFromInline package final class ValueStorage<Value>: PromiseStorage, @unchecked Sendable {
    // Unchecked: the rules for `stored` are the same as the rules for `failure` in the superclass.
    @exclusivity(unchecked) @usableFromInline final var stored: Value

    @inlinable init(_ value: Value) {
        stored = value
        super.init()
    }

    @inlinable @inline(__always) func fulfill(_ value: Value) { settle { stored = value } }

    // The value of a `Promise<Int>` is stored as an `Optional<Int>`.
    override var promiseType: String { "Promise" + "\(Value.self)".dropFirst("Optional".count) }
}

extension PromiseStorage {
    /// Makes this promise wait for `source`. Once the source has settled, `run` is called with this promise, and
    /// settles it.
    ///
    /// - Parameter isNew: Whether no other code has a reference to this promise yet. In that case, this promise isn't
    ///   locked, which saves a fifth of a hop of a chain.
    @usableFromInline final func subscribe(
        to source: PromiseStorage, on queue: DispatchQueue? = nil, flags: DispatchWorkItemFlags? = nil,
        _ options: _HandlerOptions = [], isNew: Bool = false, _ run: consuming @escaping Run
    ) {
        inheritOrigin(from: source)
        let handler = Handler(
            work: Work(promise: self, body: run),
            queue: PromiseConfiguration.queue(for: queue, flags, endsChain: options.contains(.end)), options: options
        )
        guard !isNew else { return _ = source.add(handler, for: self) }
        // The former source is released after unlocking.
        withState { $0.setSource(source) }
        guard let ticket = source.add(handler) else { return }
        lock()
        // Stores the ticket, unless another thread has already run the handler. In that case, this promise may now wait
        // for another source.
        if state.source === source { state.setSource(source, ticket: ticket) }
        let isCancelled = state.has(.cancelled)
        let waits = state.has(.guarantee) && state.phase == .pending
        unlock()
        guard isCancelled else { return }
        // This promise was already canceled. So it either no longer needs the outcome of the source or, if it is a
        // guarantee, it asks the source to finish early.
        //
        // At this moment, a cancel on another thread may be removing the same handler. That does no harm, because the
        // ticket then finds no handler.
        _ = waits ? source.uncount(ticket, holds: true) : source.unsubscribe(ticket)
        source.cancel(unlessAwaited: true)
        if waits { finishCancelAgain() }
    }

    /// Adds a handler that runs inline, on the thread that settles the promise. Returns the handler's ticket. If the
    /// promise has already settled, runs the handler now and returns nil.
    @discardableResult
    final func observe(
        for target: PromiseStorage? = nil, _ options: _HandlerOptions = [], _ run: @escaping Run
    ) -> Ticket? {
        add(Handler(work: Work(promise: target ?? self, body: run), queue: .inline, options: options))
    }

    /// Adds a handler, or sends it at once if the promise has already settled.
    ///
    /// - Parameter newborn: The promise that waits for this promise, if no other code has a reference to it yet.
    @inline(__always)
    private final func add(_ handler: consuming Handler, for newborn: PromiseStorage? = nil) -> Ticket? {
        lock()
        if state.phase != .pending, state.sendsNow(inline: handler.queue(after: state.phase).isInline) {
            state.set(.observed)
            sendAndUnlock(handler)
            return nil
        }
        let ticket = state.add(handler)
        // Stores the source of the new promise under the lock of this promise, without locking the new promise. After
        // unlocking, another thread may settle this promise, and then the new one, too.
        newborn?.state.setSource(self, ticket: ticket)
        unlock()
        return ticket
    }
}

// These methods record where a chain began, for the message about an error that nothing has handled. In a release
// build, they do nothing, and nothing is stored.
extension PromiseStorage {
    /// Records the place in the code where this promise, the first of a chain, was created. A place in this package is
    /// ignored, because it wouldn't tell the user anything.
    @inlinable @inline(__always) final func begin(_ file: StaticString, _ line: UInt) {
        #if DEBUG
            if !Self.isOurs("\(file)") { origin = (file, line) }
        #endif
    }

    #if DEBUG
        /// The libraries of this package.
        static let libraries =
            ["Pledge", "PledgePromiseKit", "PledgeHTTP", "ExistKit", "MyDataHelpsKit", "PledgeHistory", "PledgeBatch"]

        @usableFromInline static func isOurs(_ file: String) -> Bool { libraries.contains { file.hasPrefix("\($0)/") } }
    #endif

    /// Records that this promise continues the chain of `source`, unless it is known to belong to a chain already.
    @inline(__always) final func inheritOrigin(from source: PromiseStorage) {
        #if DEBUG
            let origin = source.locked { source.origin }
            locked { self.origin = self.origin ?? origin }
        #endif
    }

    /// The file and line where the chain began, if known. Reads them without the lock, so use it only if nothing else
    /// refers to the promise any longer.
    final var originText: String? {
        #if DEBUG
            origin.map { "\($0.file):\($0.line)" }
        #else
            nil
        #endif
    }
}
