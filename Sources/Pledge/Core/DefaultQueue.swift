import Dispatch
internal import PledgeLock

/// Where handlers run that name no queue: in order, on a private serial queue.
///
/// One block runs many of them, as a dispatch for each would cost as much as the rest of a hop; but only so many, so
/// that other work on that queue gets its turn.
final class DefaultQueue: _LockedObject, @unchecked Sendable {
    // Unchecked: `waiting` and `isScheduled` are touched only under the lock, `due` only by the drain.

    static let shared = DefaultQueue()
    static let turn = 256

    let queue = DispatchQueue(label: "pledge", qos: .userInitiated)
    private let marker = DispatchSpecificKey<Bool>()
    @exclusivity(unchecked) private var waiting = FIFO<Work>()
    /// What the drain has taken from there, all at once: 7 % of a handler among many, as it takes no lock for each.
    @exclusivity(unchecked) private var due = FIFO<Work>()
    @exclusivity(unchecked) private var isScheduled = false

    private override init() {
        super.init()
        queue.setSpecific(key: marker, value: true)
    }

    /// Is the calling code a handler here, or on a queue that targets this one?
    var isCurrent: Bool {
        // The first sees through `sync` on another queue.
        pledge_drains() || DispatchQueue.getSpecific(key: marker) == true
    }

    func append(_ work: consuming Work) {
        lock()
        waiting.append(work)
        let starts = !isScheduled
        isScheduled = true
        unlock()
        if starts { queue.async { self.drain() } }
    }

    private func drain() {
        pledge_set_drains(true)
        defer { pledge_set_drains(false) }
        for _ in 0..<Self.turn {
            // With nothing left, the drain is over.
            guard let work = due.popFirst() ?? refill() else { return }
            work.run()
        }
        queue.async { self.drain() }
    }

    private func refill() -> Work? {
        lock()
        defer { unlock() }
        swap(&waiting, &due)
        isScheduled = !due.isEmpty
        return due.popFirst()
    }
}
