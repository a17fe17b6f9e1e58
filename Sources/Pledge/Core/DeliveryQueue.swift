import Dispatch

#if canImport(ObjectiveC)
    import ObjectiveC
#endif

/// The default executor: one process-wide FIFO of handlers, drained on a private serial queue.
///
/// The first handler schedules a drain, and the drain runs handlers until none is left, so a hop costs no dispatch of
/// its own. Handlers run in the order in which they became runnable, as JavaScript's microtasks do.
final class DeliveryQueue: @unchecked Sendable {
    // Unchecked: `handlers`, `isScheduled` and `defaults` are touched only under `lock`, `current` only by the drain.

    static let shared = DeliveryQueue()

    private let lock = Lock()
    let queue = DispatchQueue(label: "pledge.delivery", qos: .userInitiated)
    private let marker = DispatchSpecificKey<Bool>()
    @exclusivity(unchecked) private var handlers = HandlerList()
    /// What the drain runs next, and what its handlers made runnable, for which no lock is needed. Everything here came
    /// before everything in `handlers`: once something is there, what follows goes there, too.
    @exclusivity(unchecked) private var current = HandlerList()
    /// Is the way past the lock closed, because there is something in `handlers` or in `defaults`? Changed only under
    /// the lock.
    private let isDetour = Flag()
    @exclusivity(unchecked) private var isScheduled = false
    @exclusivity(unchecked) private var defaults: PromiseConfiguration.Queues?

    private init() {
        queue.setSpecific(key: marker, value: true)
    }

    /// Is the calling code being run by this executor? Then waiting for a promise would wait for ever.
    var isCurrent: Bool {
        // The first sees through `sync` on another queue, the second knows queues that target this one.
        Drain.here != nil || DispatchQueue.getSpecific(key: marker) == true
    }

    /// Sends handlers without a queue of their own elsewhere; nil keeps them here.
    func setDefaults(_ queues: PromiseConfiguration.Queues?) {
        lock.lock()
        let old = defaults
        defaults = queues
        updateDetour()
        lock.unlock()
        withExtendedLifetime(old) {}
    }

    /// Adds handlers, whose promise has settled.
    @inline(__always)
    static func append(_ list: HandlerList, after outcome: _AnyPromise.State) {
        // Asking for `shared` costs a call each time.
        let isAdded = Drain.here?._withUnsafeGuaranteedRef { here in
            if here.isDetour.isSet { return false }
            here.current.append(contentsOf: list)
            return true
        }
        if isAdded != true { shared.appendFromElsewhere(list, after: outcome) }
    }

    @inline(never)
    private func appendFromElsewhere(_ list: HandlerList, after outcome: _AnyPromise.State) {
        lock.lock()
        if let defaults {
            lock.unlock()
            return distribute(list, after: outcome, to: defaults)
        }
        enqueue(list)
    }

    /// Sends one handler, whose promise has settled, to the place where it runs.
    func deliver(_ handler: Unmanaged<_AnyPromise>, after outcome: _AnyPromise.State) {
        if let place = handler._withUnsafeGuaranteedRef({ $0.place(after: outcome) }), let queue = place.queue {
            return dispatch(handler, to: queue, flags: place.queueFlags)
        }
        var one = HandlerList()
        one.append(handler)
        Self.append(one, after: outcome)
    }

    private func dispatch(
        _ handler: Unmanaged<_AnyPromise>, to queue: DispatchQueue, flags: DispatchWorkItemFlags
    ) {
        queue.async(flags: flags) { handler.takeRetainedValue().run() }
    }

    /// Called with the lock held; gives it up.
    @inline(__always)
    private func enqueue(_ list: HandlerList) {
        handlers.append(contentsOf: list)
        isDetour.set(true)
        let schedule = !isScheduled
        isScheduled = true
        lock.unlock()
        if schedule {
            queue.async { self.drain() }
        }
    }

    private func distribute(
        _ list: HandlerList, after outcome: _AnyPromise.State, to queues: PromiseConfiguration.Queues
    ) {
        var rest = list
        while let handler = rest.popFirst() {
            let role = handler._withUnsafeGuaranteedRef { $0.role }
            let isPlumbing = role.contains(.plumbing) || !role.cares(about: outcome)
            if !isPlumbing, let queue = role.contains(.returns) ? queues.return : queues.map {
                let place = handler._withUnsafeGuaranteedRef { $0.place(after: outcome) }
                dispatch(handler, to: queue, flags: place?.queueFlags ?? [])
            } else {
                var one = HandlerList()
                one.append(handler)
                lock.lock()
                enqueue(one)
            }
        }
    }

    private func drain() {
        Drain.begin(self)
        while takeAll() {
            #if canImport(ObjectiveC)
                // A long drain is one work item, at whose end libdispatch would empty its pool: too late.
                while !current.isEmpty { autoreleasepool { run(atMost: 100) } }
            #else
                run(atMost: .max)
            #endif
        }
        Drain.end()
    }

    @inline(__always)
    private func run(atMost count: Int) {
        var left = count
        while left > 0, let handler = current.popFirst() {
            handler.takeRetainedValue().run()
            left -= 1
        }
    }

    /// Makes what came from elsewhere current.
    ///
    /// - Returns: whether there was something; if not, the drain is over.
    private func takeAll() -> Bool {
        lock.lock()
        defer { lock.unlock() }
        current = handlers.takeAll()
        updateDetour()
        isScheduled = !current.isEmpty
        return isScheduled
    }

    private func updateDetour() {
        isDetour.set(defaults != nil || !handlers.isEmpty)
    }
}

extension DispatchQueue {
    /// The default executor of promises, whatever ``PromiseConfiguration/queues`` says: for libraries, whose steps
    /// should not depend on what an app prefers.
    public static var pledge: DispatchQueue { DeliveryQueue.shared.queue }
}
