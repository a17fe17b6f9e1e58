import Dispatch
import Foundation
@testable import Pledge
import PledgeTestSupport

/// Runs threads and queues one at a time, and chooses at each lock of a promise who goes on. A run is the list of its
/// choices: from it, the same run is repeated, and the next one found.
final class Schedule: Scheduler, @unchecked Sendable {
    // Unchecked: only the thread that goes on uses it, and semaphores pass it on.

    /// A choice among those that could go on; 0 is the one that did before.
    private struct Choice {
        let options: Int
        var chosen: Int
    }

    /// A thread that waits for its turn, or for a lock.
    private final class Strand {
        let turn = DispatchSemaphore(value: 0)
        var job: (() -> Void)?
        var awaited: LockedObject?
    }

    private var number = 0
    private var name = ""
    /// The maximum number of preemptions: of threads that could have gone on.
    private var bound = 0
    private var planned: [Int] = []
    private var choices: [Choice] = []
    private var preemptions = 0
    private var steps = 0

    private var ready: [Strand] = []
    private var blocked: [Strand] = []
    private var idle: [Strand] = []
    private var current: Strand?
    private var owners: [ObjectIdentifier: Strand] = [:]
    private var blocks: [ObjectIdentifier: [() -> Void]] = [:]
    private var isExploring = false
    private let isOver = DispatchSemaphore(value: 0)

    /// Begins the message of a failure.
    static let sign = "not in every schedule: "

    /// Runs a program in every schedule up to the bound, or until one fails, or only as planned. Returns their number.
    func explore(_ program: ScheduleProgram, _ number: Int, bound: Int, repeating plan: [Int]?) -> Int {
        (self.number, self.bound, planned) = (number, bound - (program.isLarge ? 1 : 0), plan ?? [])
        name = program.name
        var count = 0
        while true {
            (choices, preemptions, steps, count) = ([], 0, 0, count + 1)
            LogCapture.shared.forget()
            let complaints = program.complaints(self)
            if !complaints.isEmpty { say("\(complaints)") }
            while let last = choices.last, last.chosen + 1 >= last.options { choices.removeLast() }
            if choices.isEmpty || plan != nil || !complaints.isEmpty { return count }
            choices[choices.count - 1].chosen += 1
            planned = choices.map(\.chosen)
        }
    }

    /// Runs these jobs on threads of their own, and what they submit to queues, in the order of the schedule.
    func run(_ jobs: [() -> Void]) {
        isExploring = true
        jobs.forEach(begin)
        drain()
        isExploring = false
    }

    /// Runs what was submitted to queues.
    func drain() {
        guard !ready.isEmpty else { return }
        goOn()
        isOver.wait()
    }

    func post(_ block: @escaping () -> Void, to queue: DispatchQueue) {
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

    func willLock(_ lock: LockedObject) {
        guard isExploring, let strand = current, lock is Upstream || lock is DefaultQueue else { return }
        steps += 1
        if steps > 10_000 { return fail("does not end") }
        if preemptions < bound, !ready.isEmpty, case let choice = choose(ready.count + 1),
            choice > 0
        {
            preemptions += 1
            let next = ready.remove(at: choice - 1)
            ready.append(strand)
            pass(to: next)
            strand.turn.wait()
        }
        while owners[ObjectIdentifier(lock)] != nil {
            strand.awaited = lock
            blocked.append(strand)
            goOn()
            strand.turn.wait()
        }
        owners[ObjectIdentifier(lock)] = strand
    }

    func didUnlock(_ lock: LockedObject) {
        guard isExploring, owners.removeValue(forKey: ObjectIdentifier(lock)) != nil else { return }
        ready += blocked.filter { $0.awaited === lock }
        blocked.removeAll { $0.awaited === lock }
    }

    private func begin(_ job: @escaping () -> Void) {
        let strand = idle.popLast() ?? made()
        strand.job = job
        ready.append(strand)
    }

    private func made() -> Strand {
        let strand = Strand()
        // Unsafe: as above.
        nonisolated(unsafe) let its = strand
        Thread.detachNewThread {
            while true {
                its.turn.wait()
                its.job.take()?()
                self.idle.append(its)
                self.goOn()
            }
        }
        return strand
    }

    /// Lets another go on, as the one that did has ended, or waits for a lock.
    private func goOn() {
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
        choices.append(Choice(options: options, chosen: chosen))
        if chosen >= options { fail("differs when repeated") }
        return min(chosen, options - 1)
    }

    private func say(_ text: String) {
        let numbers = ([number] + choices.map(\.chosen)).map { "\($0)" }.joined(separator: " ")
        FileHandle.standardError.write(Data("\(Self.sign)\(name): \(text), PLEDGE_SCHEDULE=\"\(numbers)\"\n".utf8))
    }

    /// Ends the process, as the run cannot be ended.
    private func fail(_ text: String) {
        say(text)
        exit(0)
    }
}
