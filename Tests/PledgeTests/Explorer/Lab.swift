import Dispatch
@testable import Pledge
import PledgeTestSupport

/// What a program of the explorer is made from, and what happened in it.
final class Lab: Sendable {
    /// Where closures run: a queue of the program's own, or nil for inline.
    var queue: DispatchQueue? { marked?.queue }
    private let marked: MarkedQueue?
    let time = ManualTimekeeper()
    let cage = Cage()
    /// Somebody else's work, which goes on.
    let others = Source(Int.self)
    /// A guarantee of somebody else's, which waits for that.
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

    /// Returns what a closure of the program calls with its result.
    ///
    /// - Parameter isPlaced: Whether it is to run on the program's queue.
    func closure(isPlaced: Bool = true) -> Once {
        let number = runs.withLock { runs in
            runs.append(0)
            return runs.count - 1
        }
        return Once(canary: cage.canary("closure \(number)")) { [weak self] in
            guard let self else { return }
            runs.withLock { $0[number] += 1 }
            // In a schedule, queues have other threads.
            if isPlaced, Pledge.scheduler == nil, marked?.isCurrent == false { strays.withLock { $0.append(number) } }
        }
    }

    /// Returns what the closure of an `ensure` calls.
    func cleanup() -> Once {
        // Once canceled, it may run elsewhere.
        let once = closure(isPlaced: false)
        let number = runs.withLock { $0.count - 1 }
        cleanups.withLock { $0.append(number) }
        return once
    }

    /// The cleanups that have not run.
    var open: [Int] { runs.withLock { runs in cleanups.withLock { $0.filter { runs[$0] == 0 } } } }
    var cleans: Bool { cleanups.withLock { !$0.isEmpty } }
    /// The closures that ran elsewhere than on the program's queue.
    var strayed: [Int] { strays.withLock { $0 } }
    var ranTwice: Bool { runs.withLock { $0.contains { $0 > 1 } } }
    /// Whether nothing has reached what others wait for.
    var areOthersWaiting: Bool {
        others.stopCount == 0 && !othersGuarantee._promise.storage.isCancelled && waiting.allSatisfy(\.isPending)
    }

    /// Observes a promise without counting as a dependent, and complains if it settles before its cleanups have ended,
    /// unless a timeout above it has given up waiting for them.
    func observe(_ link: Link, _ name: String, isBelowTimeout: Bool = false) {
        let before = cleanups.withLock { $0 }
        link.promise.storage.observe(for: .placeholder, [.outcomes, .uncounted]) { [weak self] _ in
            guard let self, let early = before.first(where: self.open.contains) else { return }
            if isBelowTimeout, hasTimedOut.withLock({ $0 }) { return }
            complaint.withLock { $0 = "\(name) settled before closure \(early)" }
        }
    }

    /// Notes that a timeout has given up, before what follows it settles.
    func noteTimeout(of link: Link) {
        let storage = link.promise.storage
        storage.observe(for: .placeholder, [.outcomes, .uncounted]) { [weak self, weak storage] _ in
            guard case .timedOut? = storage?.failure as? PromiseError else { return }
            self?.hasTimedOut.withLock { $0 = true }
        }
    }

    var earliness: String? { complaint.withLock { $0 } }

    /// Lets everything happen that is due.
    func flush() {
        guard let queue, Pledge.scheduler == nil else { return Self.flushDefaultQueue(hops: 3) }
        for _ in 0..<3 {
            queue.sync {}
            Self.flushDefaultQueue()
        }
    }

    /// Waits for all handlers that are due on the default queue. As one of them, because a block of that queue may have its
    /// turn before them, if other tests have many.
    static func flushDefaultQueue(hops: Int = 1) {
        if let schedule = Pledge.scheduler as? Schedule { return schedule.drain() }
        DefaultExecutor.drainBlocking(hops: hops)
    }

    struct Once: Sendable {
        let canary: Canary
        let count: @Sendable () -> Void

        @discardableResult func callAsFunction<T>(_ result: T) -> T {
            count()
            return canary.sing(result)
        }
    }
}
