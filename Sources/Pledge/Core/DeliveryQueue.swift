import Dispatch

#if canImport(ObjectiveC)
    import ObjectiveC
#endif

/// The default executor: one process-wide FIFO of handlers, drained on a private serial queue.
///
/// The first handler schedules a drain, and the drain runs handlers until none is left, so a hop costs no dispatch of
/// its own. Handlers run in the order in which they became runnable, as JavaScript's microtasks do.
final class DeliveryQueue: @unchecked Sendable {
    // Unchecked: `head`, `tail`, `isScheduled` and `defaults` are touched only under `lock`.

    static let shared = DeliveryQueue()

    private let lock = Lock()
    private let queue = DispatchQueue(label: "pledge.delivery", qos: .userInitiated)
    private let marker = DispatchSpecificKey<Bool>()
    @exclusivity(unchecked) private var head: _Handler?
    @exclusivity(unchecked) private unowned(unsafe) var tail: _Handler?
    @exclusivity(unchecked) private var isScheduled = false
    @exclusivity(unchecked) private var defaults: PromiseConfiguration.Queues?

    private init() {
        queue.setSpecific(key: marker, value: true)
    }

    /// Is the calling code being run by this executor? Then waiting for a promise would wait for ever.
    var isCurrent: Bool {
        DispatchQueue.getSpecific(key: marker) == true
    }

    /// Sends handlers without a queue of their own elsewhere; nil keeps them here.
    func setDefaults(_ queues: PromiseConfiguration.Queues?) {
        lock.lock()
        let old = defaults
        defaults = queues
        lock.unlock()
        withExtendedLifetime(old) {}
    }

    /// Adds a list of handlers, linked by `next`, whose promise has settled.
    func append(_ first: consuming _Handler, through last: _Handler, after outcome: _Handler.State) {
        lock.lock()
        if let defaults {
            lock.unlock()
            return distribute(first, after: outcome, to: defaults)
        }
        enqueue(first, through: last)
    }

    /// Called with the lock held; gives it up.
    private func enqueue(_ first: consuming _Handler, through last: _Handler) {
        if let tail {
            tail.next = first
        } else {
            head = first
        }
        tail = last
        let schedule = !isScheduled
        isScheduled = true
        lock.unlock()
        if schedule {
            queue.async { self.drain() }
        }
    }

    private func distribute(_ first: _Handler, after outcome: _Handler.State, to queues: PromiseConfiguration.Queues) {
        var handler: _Handler? = first
        while let current = handler {
            handler = current.next.take()
            let isPlumbing = current.role.contains(.plumbing) || !current.cares(about: outcome)
            if !isPlumbing, let queue = current.role.contains(.returns) ? queues.return : queues.map {
                current.dispatch(to: queue)
            } else {
                lock.lock()
                enqueue(current, through: current)
            }
        }
    }

    private func drain() {
        while var handler = takeAll() {
            #if canImport(ObjectiveC)
                // A long drain is one work item, at whose end libdispatch would pop its pool: too late.
                autoreleasepool {
                    while true {
                        guard let next = runAndUnlink(handler) else { break }
                        handler = next
                    }
                }
            #else
                while let next = runAndUnlink(handler) {
                    handler = next
                }
            #endif
        }
    }

    private func takeAll() -> _Handler? {
        lock.lock()
        defer { lock.unlock() }
        let all = head.take()
        tail = nil
        if all == nil { isScheduled = false }
        return all
    }

    /// Unlinks before it runs: whoever keeps a handler alive must not keep the rest of the queue alive with it.
    @inline(__always)
    private func runAndUnlink(_ handler: _Handler) -> _Handler? {
        let next = handler.next.take()
        handler.run()
        return next
    }
}

extension _Handler {
    /// Sends a handler whose promise has settled to the place where it runs.
    final func deliver(after outcome: State) {
        guard let queue, cares(about: outcome) else {
            DeliveryQueue.shared.append(self, through: self, after: outcome)
            return
        }
        dispatch(to: queue)
    }

    fileprivate final func dispatch(to queue: DispatchQueue) {
        queue.async(flags: DispatchWorkItemFlags(rawValue: UInt(queueFlags))) { self.run() }
    }
}
