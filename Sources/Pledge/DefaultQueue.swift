import Dispatch
import Foundation

internal import PledgeLock

/// The private serial queue for handlers that don't specify a queue. It runs them in the order in which they are due.
///
/// One block of the queue runs many handlers, because a block for each handler would cost as much as the rest of a hop
/// of a chain. After 256 handlers, another block continues, so that other work on the queue gets its turn.
final class DefaultQueue: LockedObject, @unchecked Sendable {
    // Unchecked: `waiting` and `isScheduled` are only accessed under the lock. `due` is only accessed by the block that
    // runs the handlers.

    static let shared = DefaultQueue()
    static let turn = 256

    let queue = DispatchQueue(label: "pledge", qos: .userInitiated, autoreleaseFrequency: .workItem)
    /// Identifies this queue and the main queue, also in code on a queue whose target is one of them.
    private let identity = DispatchSpecificKey<Identity>()
    private enum Identity { case pledge, main }

    @exclusivity(unchecked) private var waiting = FIFO<Work>()
    /// Handlers that were taken from `waiting` in one go. If there are many, locking once for all of them saves 7 % of
    /// each handler's cost.
    @exclusivity(unchecked) private var due = FIFO<Work>()
    @exclusivity(unchecked) private var isScheduled = false

    private override init() {
        super.init()
        queue.setSpecific(key: identity, value: .pledge)
        DispatchQueue.main.setSpecific(key: identity, value: .main)
    }

    /// Whether the calling code is a handler on this queue, or runs on another queue whose target is this queue.
    var isCurrent: Bool {
        // `getSpecific` alone isn't enough: if a handler calls `sync` on another queue, `getSpecific` asks that other
        // queue inside the `sync`. `pledge_drains` is true there, too.
        pledge_drains() || DispatchQueue.getSpecific(key: identity) == .pledge
    }

    /// Whether this queue or the main queue can't run anything else until the calling code returns. If so, the calling
    /// code must not block, because it might wait for work on the blocked queue.
    ///
    /// The main queue is blocked only by a handler. Outside a handler, the main thread serves the main queue while it
    /// waits. After `dispatchMain()`, other threads serve the main queue.
    var isBlocked: Bool {
        isCurrent || pledge_handles() && (Thread.isMainThread || DispatchQueue.getSpecific(key: identity) == .main)
    }

    /// Runs a closure of a user that was dispatched to a queue other than this one.
    static func runBlock(_ body: () -> Void) {
        pledge_set_handles(true)
        defer { pledge_set_handles(false) }
        // The thread may be inside a step of the trampoline: code in that step may run the main run loop, which runs
        // this block. `flushAndPause` makes the closure behave as if it were outside a step.
        Trampoline.flushAndPause(body)
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
