import Dispatch
internal import PledgeLock

/// Where handlers run that name no queue: in order, on a private serial queue.
///
/// One block runs many of them, as a dispatch for each would cost as much as the rest of a hop; but only so many, so
/// that other work on that queue gets its turn.
final class DefaultQueue: _LockedObject, @unchecked Sendable {
    // Unchecked: `waiting` and `isScheduled` are touched only under the lock, `current` only by the drain's thread.

    static let shared = DefaultQueue()
    static let turn = 256

    let queue = DispatchQueue(label: "pledge", qos: .userInitiated)
    private let marker = DispatchSpecificKey<Bool>()
    /// What came from other threads, and what followed once something was there.
    @exclusivity(unchecked) private var waiting = FIFO<Work>()
    /// What the drain runs next, and what comes due in its thread while nothing waits: 7 % of a hop, as no lock is taken.
    @exclusivity(unchecked) private var current = FIFO<Work>()
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

    @inline(__always) func append(_ work: consuming Work) {
        if pledge_drains(), !pledge_awaits_drain() { current.append(work) } else { appendFromElsewhere(work) }
    }

    @inline(never) private func appendFromElsewhere(_ work: consuming Work) {
        lock()
        waiting.append(work)
        scheduleAndUnlock()
    }

    /// Adds many, a turn's worth at a time, so that the lock is never held for long.
    func append(contentsOf works: inout ContiguousArray<Work?>) {
        for start in stride(from: 0, to: works.count, by: Self.turn) {
            lock()
            for index in start..<min(start + Self.turn, works.count) {
                if let work = works[index].take() { waiting.append(consume work) }
            }
            scheduleAndUnlock()
        }
    }

    @inline(__always) private func scheduleAndUnlock() {
        pledge_set_awaits_drain(true)
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
            guard let work = current.popFirst() ?? refill() else { return }
            work.run()
        }
        queue.async { self.drain() }
    }

    @inline(never) private func refill() -> Work? {
        lock()
        defer { unlock() }
        swap(&waiting, &current)
        pledge_set_awaits_drain(false)
        isScheduled = !current.isEmpty
        return current.popFirst()
    }
}
