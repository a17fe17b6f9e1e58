import Dispatch
import Foundation
@testable import Pledge
import PledgeLock
import PledgeTestSupport

/// Runs threads and queues one at a time, and chooses at each lock of a promise who goes on. A run is the list of its
/// choices: from it, the same run is repeated, and the next one found.
final class Schedule: Scheduler, @unchecked Sendable {
    // Unchecked: only the thread that goes on uses it, and semaphores pass it on.

    /// A thread that waits for its turn, and for a lock or a signal.
    private final class Strand {
        let turn = DispatchSemaphore(value: 0)
        var job: () -> Void = {}
        var hasCome = { true }
    }

    /// The program, with its number and the bound, which repeat a run together with its choices.
    private var (name, words): (String, [Int]) = ("", [])
    private var planned: [Int] = []
    /// Of those that could go on; 0 is the one that did before.
    private var choices: [(options: Int, chosen: Int)] = []
    /// Counted down to zero: the preemptions, of threads that could have gone on, and the steps of a run.
    private var (preemptions, steps) = (0, 0)

    private var (ready, blocked, idle): ([Strand], [Strand], [Strand]) = ([], [], [])
    private var current: Strand?
    /// Is not interrupted, nor does it interrupt one that has a lock: it may hold one of Swift's own.
    private var uninterrupted: Strand?
    private var owners: [ObjectIdentifier: Strand] = [:]
    private var blocks: [ObjectIdentifier: [() -> Void]] = [:]
    /// The promises and combinators that the program has used, as long as they live.
    private var used: [ObjectIdentifier: () -> LockedObject?] = [:]
    private let lasting = [PromiseStorage.placeholder, PromiseStorage.canceled].map { ObjectIdentifier($0) }
    private var isExploring = false
    private let isOver = DispatchSemaphore(value: 0)

    /// The label of a concurrent queue, as a queue does not tell; every other is serial.
    static let concurrent = "concurrent"
    /// Begins the message of a failure.
    static let sign = "not in every schedule: "

    /// Runs a program in every schedule up to the bound, or only as planned. Returns their number.
    func explore(_ program: ScheduleProgram, _ number: Int, bound: Int, repeating plan: [Int]?) -> Int {
        (name, words, planned) = (program.name, [number, bound], plan ?? [])
        var count = 0
        while true {
            (choices, preemptions, steps, count) = ([], bound - (program.isLarge ? 1 : 0), 10_000, count + 1)
            LogCapture.shared.forget()
            var complaints = program.complaints(self)
            drain()
            let left = used.values.count { $0() != nil }
            if left > 0 { complaints.append("\(left) promises are left") }
            used = [:]
            if !complaints.isEmpty { fail("\(complaints)") }
            while let last = choices.last, last.chosen + 1 >= last.options { choices.removeLast() }
            if choices.isEmpty || plan != nil { return count }
            choices[choices.count - 1].chosen += 1
            planned = choices.map(\.chosen)
        }
    }

    /// Runs these jobs on threads of their own, and their tasks and what they submit to queues, in the order of the
    /// schedule. `cancel` is another job, which isn't interrupted, as it may cancel a task: Swift then holds a lock.
    func run(_ jobs: [() -> Void], cancel: (() -> Void)? = nil) {
        isExploring = true
        for job in jobs { begin(job) }
        uninterrupted = cancel.map(begin)
        drain()
        (isExploring, uninterrupted) = (false, nil)
    }

    /// Runs what was submitted to queues, and tasks.
    func drain() {
        guard !ready.isEmpty else { return }
        goOn()
        isOver.wait()
    }

    func post(_ block: @escaping () -> Void, to queue: DispatchQueue) {
        guard queue.label != Self.concurrent else { return _ = begin(block) }
        let id = ObjectIdentifier(queue)
        blocks[id, default: []].append(block)
        guard blocks[id]?.count == 1 else { return }
        begin {
            while let block = self.blocks[id]?.first {
                block()
                self.blocks[id]?.removeFirst()
            }
        }
    }

    /// Gives each job of a task a thread, or leaves them to Swift again.
    func takeTasks(_ takes: Bool) {
        typealias Hook = @convention(thin) (UnownedJob, @convention(thin) (UnownedJob) -> Void) -> Void
        let hook = dlsym(dlopen(nil, RTLD_LAZY), "swift_task_enqueueGlobal_hook").assumingMemoryBound(to: Hook?.self)
        guard takes else { return hook.pointee = nil }
        hook.pointee = { job, _ in
            // Unsafe: no executor is two words of zero, for which Swift has no name.
            let none = unsafeBitCast((0, 0), to: UnownedSerialExecutor.self)
            (Pledge.scheduler as? Schedule)?.begin { job.runSynchronously(on: none) }
        }
    }

    func willWait(for signal: DispatchSemaphore, until deadline: DispatchTime) {
        // With a limit, it may also go on without the signal, whenever it is chosen.
        let isLimited = deadline != .distantFuture
        wait { isLimited || signal.wait(timeout: .now()) == .success && signal.signal() >= 0 }
    }

    func willLock(_ lock: LockedObject) {
        let id = ObjectIdentifier(lock)
        if lock is Upstream, used[id]?() == nil, !lasting.contains(id) { used[id] = { [weak lock] in lock } }
        guard isExploring, let strand = current, lock is Upstream || lock is DefaultQueue else { return }
        steps -= 1
        if steps < 0 { fail("does not end") }
        wake()
        if preemptions > 0, !ready.isEmpty,
            uninterrupted == nil || strand !== uninterrupted && !owners.values.contains(where: { $0 === strand }),
            case let choice = choose(ready.count + 1), choice > 0
        {
            preemptions -= 1
            let next = ready.remove(at: choice - 1)
            ready.append(strand)
            pass(to: next)
            strand.turn.wait()
        }
        while owners[id] != nil { wait { self.owners[id] == nil } }
        owners[id] = strand
    }

    func didUnlock(_ lock: LockedObject) {
        guard isExploring, let strand = current, lock is Upstream || lock is DefaultQueue else { return }
        if owners.removeValue(forKey: ObjectIdentifier(lock)) !== strand { fail("gives back a lock it does not have") }
    }

    /// Lets others go on until what the current one waits for has come.
    private func wait(until hasCome: @escaping () -> Bool) {
        guard let strand = current else { return }
        strand.hasCome = hasCome
        blocked.append(strand)
        goOn()
        strand.turn.wait()
    }

    private func wake() {
        let left = blocked.partition { $0.hasCome() }
        ready += blocked[left...]
        blocked.removeSubrange(left...)
    }

    @discardableResult private func begin(_ job: @escaping () -> Void) -> Strand {
        let known = idle.popLast()
        let strand = known ?? Strand()
        strand.job = job
        ready.append(strand)
        if known != nil { return strand }
        // Unsafe: as above.
        nonisolated(unsafe) let its = strand
        Thread.detachNewThread {
            while true {
                its.turn.wait()
                its.job()
                // What it holds is released before another goes on.
                its.job = {}
                let isFree = pledge_promise() == nil && !pledge_handles() && !pledge_drains()
                if !isFree { self.fail("a thread remembers what it no longer runs") }
                self.idle.append(its)
                self.goOn()
            }
        }
        return strand
    }

    /// Lets another go on, as the one that did has ended, or waits for a lock.
    private func goOn() {
        wake()
        guard !ready.isEmpty else {
            current = nil
            if !blocked.isEmpty { fail("is a deadlock") }
            return _ = isOver.signal()
        }
        pass(to: ready.remove(at: isExploring ? choose(ready.count) : 0))
    }

    private func pass(to strand: Strand) {
        current = strand
        strand.turn.signal()
    }

    private func choose(_ options: Int) -> Int {
        guard options > 1 else { return 0 }
        let chosen = choices.count < planned.count ? planned[choices.count] : 0
        choices.append((options, chosen))
        if chosen >= options { fail("differs when repeated") }
        return chosen
    }

    /// Ends the process, as a run may not end, or may leave what no other can do without.
    private func fail(_ text: String) -> Never {
        let numbers = (words + choices.map(\.chosen)).map { "\($0)" }.joined(separator: " ")
        Self.print("\(Self.sign)\(name): \(text), PLEDGE_SCHEDULE=\"\(numbers)\"")
        exit(0)
    }

    /// Prints where the parent process reads.
    static func print(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
}
