import Dispatch
import Foundation
internal import PledgeLock

/// The private serial queue that runs, in order, the handlers that don't specify a queue. One block runs many of them,
/// because dispatching each would cost as much as the rest of a hop. Their number is bounded, so that other work on
/// that queue isn't starved.
final class DefaultQueue: LockedObject, @unchecked Sendable {
    // Unchecked: `waiting` and `isScheduled` are only accessed under the lock, `due` only by the drain.

    static let shared = DefaultQueue()
    static let turn = 256

    let queue = DispatchQueue(label: "pledge", qos: .userInitiated, autoreleaseFrequency: .workItem)
    private let isMain = DispatchSpecificKey<Bool>()
    @exclusivity(unchecked) private var waiting = FIFO<Work>()
    /// What the drain took from `waiting`, all at once: 7 % of a handler among many, as it doesn't lock for each.
    @exclusivity(unchecked) private var due = FIFO<Work>()
    @exclusivity(unchecked) private var isScheduled = false

    private override init() {
        super.init()
        queue.setSpecific(key: isMain, value: false)
        DispatchQueue.main.setSpecific(key: isMain, value: true)
    }

    /// Whether the calling code is a handler on this queue, or runs on a queue that targets it.
    var isCurrent: Bool {
        // The first check also works inside a `sync` on another queue.
        pledge_drains() || DispatchQueue.getSpecific(key: isMain) == false
    }

    /// Whether this queue or the main one can run nothing else before the calling code returns. Outside a handler, the
    /// main thread serves its queue while it waits; after `dispatchMain()`, other threads do.
    var isBlocked: Bool {
        isCurrent || pledge_handles() && (Thread.isMainThread || DispatchQueue.getSpecific(key: isMain) == true)
    }

    /// Runs a closure of a user as a block of another queue.
    static func runBlock(_ body: () -> Void) {
        pledge_set_handles(true)
        defer { pledge_set_handles(false) }
        // In a pause: this may be the main queue, served by a run loop inside a step.
        Trampoline.pause(body)
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
            if due.isEmpty {
                lock()
                swap(&waiting, &due)
                isScheduled = !due.isEmpty
                unlock()
            }
            guard let work = due.popFirst() else { return }
            Work.run(consume work)
        }
        queue.async { self.drain() }
    }
}
