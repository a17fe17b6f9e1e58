import Dispatch
import Foundation
import PledgeTestSupport

@testable import Pledge

extension ProgramRun {
    /// Runs a program, and checks it against the reference.
    ///
    /// - Returns: The failures.
    static func check(_ program: Program, _ crew: ThreadCrew) -> [String] {
        let run = ProgramRun(program)
        run.build()
        crew.run(program.threads.map { actions in { run.perform(actions) } })
        // The threads of the crew retain their last jobs, so they get empty jobs here.
        crew.run(program.threads.map { _ in {} })
        let reference = Reference(program)
        run.checkCancelled(reference)
        run.checkReleased(reference)
        run.checkNothingHeld()
        // After a failure, the remaining checks would take long.
        guard run.complaints.count == 0 else { return run.complaints.all }
        let outcomes = run.finish()
        run.checkOutcomes(reference, outcomes)
        run.checkNothingLeft()
        run.checkLog(reference, outcomes)
        return run.complaints.all
    }

    /// Finds sources that were not canceled although nothing waits for them anymore.
    private func checkCancelled(_ reference: Reference) {
        let cancels = state.withLock { $0.cancels }
        for number in program.nodes.indices where reference.mustBeCancelled(number, cancels) {
            guard let promise = promise(number) else { continue }
            // If two threads or queues cancel, the cancel that came first may still be on its way to this promise.
            wait(30) { !promise.isPending }
            guard promise.isPending else { continue }
            complaints.append("\(number) is pending, though all that waited for it was cancelled")
        }
    }

    /// Finds canceled promises that something keeps alive although nothing needs them.
    private func checkReleased(_ reference: Reference) {
        for number in state.withLock({ $0.abandoned }) where reference.endsWithLastReference(number) {
            let isReleased = { !self.objects.survivors.contains("\(number)") }
            wait(30, until: isReleased)
            if !isReleased() { complaints.append("\(number) was cancelled and released, but is still alive") }
        }
    }

    /// Finds pending promises that still have handlers although every promise that waited for them has settled.
    private func checkNothingHeld() {
        for number in program.nodes.indices where !program.isWaitedForLater(number) {
            guard let promise = promise(number), promise.isPending,
                program.dependents(number).allSatisfy({
                    self.promise($0)?.isResolved == true && program.step($0) != .awaited
                })
            else { continue }
            let isLeft = { promise._handlerCount == 0 || !promise.isPending }
            wait(30, until: isLeft)
            if !isLeft() { complaints.append("\(number) has handlers, though nothing waits for it") }
        }
    }

    /// Releases everything that could settle a promise, so that every promise must settle.
    ///
    /// - Returns: The outcomes of the promises that have not been released.
    private func finish() -> [Outcome?] {
        release { state in
            defer { (state.seals, state.resolves) = ([:], [:]) }
            return (state.seals, state.resolves)
        }
        time.advance(by: 9)
        wait { self.state.withLock { Array($0.promises.values) }.allSatisfy { $0.isResolved } }
        let promises = state.withLock { $0.promises }
        for number in promises.keys where promises[number]?.isPending == true {
            complaints.append("\(number) is pending for ever")
        }
        return program.nodes.indices.map { number in promises[number]?.result.map { Outcome($0) } }
    }

    /// Releases the objects that the closure removes from the state. They are released outside the lock, because a deinit may
    /// run any code.
    private func release<T>(_ takeOut: (inout State) -> T) { _ = state.withLock { takeOut(&$0) } }

    /// Waits for work on other queues and in tasks. A program's tasks run after the tasks of all other tests, which may take as
    /// long as the whole suite. So the wait gives up only when both are true: the time is up, and 100 tasks have run since the
    /// wait began. No program needs more than 100 tasks.
    private func wait(_ seconds: Double = 20, until condition: () -> Bool) {
        let (deadline, begun, turns) = (DispatchTime.now() + seconds, Counter(), Counter())
        while !condition(), complaints.count == 0, .now() < deadline || turns.value < 100 {
            if begun.value == turns.value {
                begun.increment()
                Task { turns.increment() }
            }
            DefaultExecutor.drainBlocking(hops: 1)
            Self.first.queue.sync {}
            Self.second.queue.sync {}
            Self.main.queue.sync {}
            Self.concurrent.queue.sync(flags: .barrier) {}
            // After the deadline, the condition may never hold. The thread sleeps, so that the watchdog sees an idle process.
            if .now() < deadline { sched_yield() } else { usleep(100_000) }
        }
    }

    private func checkOutcomes(_ reference: Reference, _ outcomes: [Outcome?]) {
        for number in program.nodes.indices {
            guard let outcome = outcomes[number], let allowed = reference.allowed(number, outcomes) else { continue }
            if !allowed.contains(outcome) { complaints.append("\(number) came to \(outcome), not one of \(allowed)") }
        }
    }

    /// Checks what the handlers did. All of them have been released by then.
    private func checkLog(_ reference: Reference, _ outcomes: [Outcome?]) {
        let log = state.withLock { $0.log }
        let runs = log.runs
        for number in program.nodes.indices {
            guard let allowed = reference.runs(number, outcomes), !allowed.contains(runs[number] ?? 0) else { continue }
            complaints.append("the handler of \(number) ran \(runs[number] ?? 0) times, not \(allowed)")
        }
        for (number, runs) in runs where runs > 1 { complaints.append("the handler of \(number) ran \(runs) times") }
        for complaint in log.disorder(reference) + log.overlaps + log.unclean(reference, outcomes) {
            complaints.append(complaint)
        }
    }

    private func checkNothingLeft() {
        release { state in
            defer { (state.promises, state.guarantees) = ([:], [:]) }
            return (state.promises, state.guarantees)
        }
        wait { objects.survivors.isEmpty }
        if !objects.survivors.isEmpty { complaints.append("still alive: \(objects.survivors)") }
    }
}
