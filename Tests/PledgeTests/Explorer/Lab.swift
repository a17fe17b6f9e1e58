import Dispatch
@testable import Pledge
import PledgeTestSupport

/// The sources, queue, and timers from which a program of the explorer is built, and a record of what happened in it.
final class Lab: Sendable {
    /// Where closures run: a queue of the program's own, or nil for inline.
    var queue: DispatchQueue? { marked?.queue }
    private let marked: MarkedQueue?
    let time = ManualTimekeeper()
    let objects = LiveObjects()
    /// A source that other code waits for. No cancel of the program may reach it.
    let others = Source(Int.self)
    /// A guarantee that other code waits for, and that depends on `others`.
    let othersGuarantee: Guarantee<Int>
    private let waiting: [Promise<Int>]
    private let runs = Locked<[Int]>([])
    private let cleanups = Locked<[Int]>([])
    private let complaint = Locked<String?>(nil)
    private let strays = Locked<[Int]>([])
    private let hasTimedOut = Locked(false)

    init(isInline: Bool) {
        marked = isInline ? nil : MarkedQueue("explorer")
        othersGuarantee = others.promise.recover(on: nil) { _ in .value(0) }
        waiting = [others.promise.map(on: nil) { $0 }, othersGuarantee.then(on: nil) { .value($0) as Promise<Int> }]
    }

    /// Returns a callable value. A closure of the program calls it with the closure's result, which records that the closure ran.
    ///
    /// - Parameter isPlaced: Whether the closure must run on the program's queue.
    func closure(isPlaced: Bool = true) -> Once {
        let number = runs.withLock { runs in
            runs.append(0)
            return runs.count - 1
        }
        return Once(captured: objects.captured("closure \(number)")) { [weak self] in
            guard let self else { return }
            runs.withLock { $0[number] += 1 }
            // A schedule runs the blocks of a queue on other threads, so the queue cannot be recognized.
            if isPlaced, Pledge.scheduler == nil, marked?.isCurrent == false { strays.withLock { $0.append(number) } }
        }
    }

    /// Returns a callable value. The closure of an `ensure` calls it, which records that the cleanup ran.
    func cleanup() -> Once {
        // After a cancel, the closure of an `ensure` may run on another queue.
        let once = closure(isPlaced: false)
        let number = runs.withLock { $0.count - 1 }
        cleanups.withLock { $0.append(number) }
        return once
    }

    /// The numbers of the cleanups that have not run.
    var open: [Int] { runs.withLock { runs in cleanups.withLock { $0.filter { runs[$0] == 0 } } } }
    var cleans: Bool { cleanups.withLock { !$0.isEmpty } }
    /// The numbers of the closures that ran outside the program's queue.
    var strayed: [Int] { strays.withLock { $0 } }
    var ranTwice: Bool { runs.withLock { $0.contains { $0 > 1 } } }
    /// Whether no cancel has reached the promises that other code waits for.
    var areOthersWaiting: Bool {
        others.stopCount == 0 && !othersGuarantee._promise.storage.isCancelled && waiting.allSatisfy(\.isPending)
    }

    /// Adds an observer that complains if a promise settles before the cleanups above it have run. The observer doesn't complain
    /// if a timeout above the promise has stopped waiting for these cleanups. The observer doesn't count as a dependent.
    func observe(_ link: Link, _ name: String, isBelowTimeout: Bool = false) {
        let before = cleanups.withLock { $0 }
        link.promise.storage.observe(for: .placeholder, [.outcomes, .uncounted]) { [weak self] _ in
            guard let self, let early = before.first(where: self.open.contains) else { return }
            if isBelowTimeout, hasTimedOut.withLock({ $0 }) { return }
            complaint.withLock { $0 = "\(name) settled before closure \(early)" }
        }
    }

    /// Adds an observer that records when a timeout was exceeded, before the promises below the timeout settle.
    func noteTimeout(of link: Link) {
        let storage = link.promise.storage
        storage.observe(for: .placeholder, [.outcomes, .uncounted]) { [weak self, weak storage] _ in
            guard case .timedOut? = storage?.failure as? PromiseError else { return }
            self?.hasTimedOut.withLock { $0 = true }
        }
    }

    var earliness: String? { complaint.withLock { $0 } }

    /// Runs everything that is due.
    func flush() {
        guard let queue, Pledge.scheduler == nil else { return Self.flushDefaultQueue(hops: 3) }
        for _ in 0..<3 {
            queue.sync {}
            Self.flushDefaultQueue()
        }
    }

    /// Waits until all handlers that are due on the default queue have run. For this, it adds a handler of its own and waits
    /// for that handler. A block on the queue wouldn't do: if other tests have many handlers, the block may run before them.
    static func flushDefaultQueue(hops: Int = 1) {
        if let schedule = Pledge.scheduler as? Schedule { return schedule.drain() }
        DefaultExecutor.drainBlocking(hops: hops)
    }

    struct Once: Sendable {
        let captured: CapturedObject
        let count: @Sendable () -> Void

        @discardableResult func callAsFunction<T>(_ result: T) -> T {
            count()
            return captured.capture(result)
        }
    }
}
