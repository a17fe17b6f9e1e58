import Dispatch
import Foundation
@testable import Pledge
import PledgeLock
import PledgeTestSupport

/// Runs threads and queues one at a time. Whenever a thread is about to lock a promise, the schedule chooses the thread that
/// continues. The list of these choices identifies a run: with the list, the schedule can repeat the run, or find the next.
final class Schedule: Scheduler, @unchecked Sendable {
    // Unchecked: only the thread whose turn it is uses the schedule, and semaphores pass the turn from thread to thread.

    /// A thread of the schedule. It waits for its turn, and may also wait for a lock or a signal.
    private final class Strand {
        let turn = DispatchSemaphore(value: 0)
        var job: () -> Void = {}
        var hasCome = { true }
    }

    /// The name of the program, and the first numbers that a failure prints so that the run can be repeated: the program's
    /// number and the bound. After these numbers, the failure prints the choices of the run.
    private var (name, words): (String, [Int]) = ("", [])
    private var planned: [Int] = []
    /// For each choice, the number of threads that could continue, and which of them does. At a lock, 0 is the current thread.
    private var choices: [(options: Int, chosen: Int)] = []
    /// The number of preemptions and of steps that the run has left. A preemption interrupts a thread that could continue.
    private var (preemptions, steps) = (0, 0)

    private var (ready, blocked, idle): ([Strand], [Strand], [Strand]) = ([], [], [])
    private var current: Strand?
    /// A thread that cancels a task, and may therefore hold a lock of Swift's runtime. The thread is not interrupted, and it
    /// doesn't interrupt a thread that has a lock.
    private var uninterrupted: Strand?
    private var owners: [ObjectIdentifier: Strand] = [:]
    private var blocks: [ObjectIdentifier: [() -> Void]] = [:]
    /// Weak references to the promises and combinators that the program has used.
    private var used: [ObjectIdentifier: () -> LockedObject?] = [:]
    private let lasting = ObjectIdentifier(PromiseStorage.placeholder)
    private var isExploring = false
    private let isOver = DispatchSemaphore(value: 0)

    /// The label of concurrent queues. All other queues count as serial, because a queue doesn't say whether it is concurrent.
    static let concurrent = "concurrent"
    /// The beginning of each message about a failure.
    static let sign = "not in every schedule: "

    /// Runs a program in every schedule up to the bound or, if there is a plan, only as planned.
    ///
    /// - Returns: The number of runs.
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

    /// Runs each job on a thread of its own, in the order of the schedule. The jobs' tasks, and the blocks that the jobs submit
    /// to queues, also run in that order.
    ///
    /// - Parameter cancel: Another job. It isn't interrupted, because it may cancel a task, and Swift then holds a lock.
    func run(_ jobs: [() -> Void], cancel: (() -> Void)? = nil) {
        isExploring = true
        for job in jobs { begin(job) }
        uninterrupted = cancel.map(begin)
        drain()
        (isExploring, uninterrupted) = (false, nil)
    }

    /// Runs all tasks, and all blocks that were submitted to queues.
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

    /// If `takes` is true, makes the schedule's threads run the jobs of tasks. If it is false, lets Swift run these jobs again.
    func takeTasks(_ takes: Bool) {
        typealias Hook = @convention(thin) (UnownedJob, @convention(thin) (UnownedJob) -> Void) -> Void
        let hook = dlsym(dlopen(nil, RTLD_LAZY), "swift_task_enqueueGlobal_hook").assumingMemoryBound(to: Hook?.self)
        guard takes else { return hook.pointee = nil }
        hook.pointee = { job, _ in
            // Unsafe: two words of zero mean that there is no executor. Swift has no name for that value.
            let none = unsafeBitCast((0, 0), to: UnownedSerialExecutor.self)
            (Pledge.scheduler as? Schedule)?.begin { job.runSynchronously(on: none) }
        }
    }

    func willWait(for signal: DispatchSemaphore, until deadline: DispatchTime) {
        // If the wait has a time limit, the thread may also continue without the signal, whenever the schedule chooses it.
        let isLimited = deadline != .distantFuture
        wait { isLimited || signal.wait(timeout: .now()) == .success && signal.signal() >= 0 }
    }

    func willLock(_ lock: LockedObject) {
        let id = ObjectIdentifier(lock)
        if lock is Upstream, used[id]?() == nil, id != lasting { used[id] = { [weak lock] in lock } }
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

    /// Lets other threads run until the condition of the current thread holds.
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
        // Unsafe: only the thread whose turn it is uses the schedule and its threads' records.
        nonisolated(unsafe) let its = strand
        Thread.detachNewThread {
            while true {
                its.turn.wait()
                its.job()
                // Everything that the job holds must be released before another thread continues.
                its.job = {}
                let isFree = pledge_releasing() == nil && !pledge_handles() && !pledge_drains()
                if !isFree { self.fail("a thread remembers what it no longer runs") }
                self.idle.append(its)
                self.goOn()
            }
        }
        return strand
    }

    /// Lets another thread continue, because the current thread has ended or waits.
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

    /// Reports a failure and ends the process. If the process continued, the run might never end, or might keep locks that the
    /// next run needs.
    private func fail(_ text: String) -> Never {
        let numbers = (words + choices.map(\.chosen)).map { "\($0)" }.joined(separator: " ")
        Self.print("\(Self.sign)\(name): \(text), PLEDGE_SCHEDULE=\"\(numbers)\"")
        exit(0)
    }

    /// Prints to standard error, which the parent process reads.
    static func print(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
}
