import Dispatch
@testable import Pledge
import PledgeTestSupport

/// What a program of the explorer is made from, and what happened in it.
final class Lab: Sendable {
    /// Where closures run: a queue of the program's own, or nil for inline.
    let queue: DispatchQueue?
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

    init(isInline: Bool) {
        queue = isInline ? nil : DispatchQueue(label: "explorer")
        othersGuarantee = others.promise.recover(on: nil) { _ in .value(0) }
        waiting = [others.promise.map(on: nil) { $0 }, othersGuarantee.then(on: nil) { .value($0) as Promise<Int> }]
    }

    /// Returns what a closure of the program calls with its result.
    func closure() -> Once {
        let number = runs.withLock { runs in
            runs.append(0)
            return runs.count - 1
        }
        return Once(canary: cage.canary("closure \(number)")) { [weak self] in self?.runs.withLock { $0[number] += 1 } }
    }

    /// Returns what the closure of an `ensure` calls.
    func cleanup() -> Once {
        let once = closure()
        let number = runs.withLock { $0.count - 1 }
        cleanups.withLock { $0.append(number) }
        return once
    }

    /// The cleanups that have not run.
    var open: [Int] { runs.withLock { runs in cleanups.withLock { $0.filter { runs[$0] == 0 } } } }
    var cleans: Bool { cleanups.withLock { !$0.isEmpty } }
    var ranTwice: Bool { runs.withLock { $0.contains { $0 > 1 } } }
    /// Whether nothing has reached what others wait for.
    var areOthersWaiting: Bool {
        others.stopCount == 0 && !othersGuarantee._promise.storage.isCancelled && waiting.allSatisfy(\.isPending)
    }

    /// Observes a promise without counting as a dependent, and complains if it settles before its cleanups have ended.
    func observe(_ link: Link, _ name: String) {
        let before = cleanups.withLock { $0 }
        link.promise.storage.observe(for: .placeholder, [.outcomes, .uncounted]) { [weak self] _ in
            guard let self, let early = before.first(where: self.open.contains) else { return }
            complaint.withLock { $0 = "\(name) settled before closure \(early)" }
        }
    }

    var earliness: String? { complaint.withLock { $0 } }

    /// Lets everything happen that is due.
    func flush() {
        for _ in 0..<3 {
            if Pledge.scheduler == nil { queue?.sync {} }
            Self.flushDefaultQueue()
        }
    }

    /// Waits for all handlers that are due on the default queue. As one of them, because a block of that queue may have its
    /// turn before them, if other tests have many.
    static func flushDefaultQueue() {
        if let schedule = Pledge.scheduler as? Schedule { return schedule.drain() }
        let done = DispatchSemaphore(value: 0)
        Guarantee().done(on: .pledge) { done.signal() }
        done.wait()
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
