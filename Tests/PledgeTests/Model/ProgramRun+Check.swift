import Dispatch
import Foundation
import PledgeTestSupport

@testable import Pledge

extension ProgramRun {
    /// Runs a program.
    ///
    /// - Returns: The failures.
    static func check(_ program: Program, _ crew: ThreadCrew) -> [String] {
        let run = ProgramRun(program)
        run.build()
        crew.run(program.threads.map { actions in { run.perform(actions) } })
        // The crew retains its last jobs.
        crew.run(program.threads.map { _ in {} })
        let reference = Reference(program)
        run.checkCancelled(reference)
        run.finish()
        run.checkOutcomes(reference)
        run.checkOrder(reference)
        run.checkNothingLeft()
        return run.complaints.all
    }

    /// Finds sources that nothing waits for anymore, but that were not canceled.
    private func checkCancelled(_ reference: Reference) {
        for number in program.nodes.indices where reference.mustBeCancelled(number) {
            guard let promise = promise(number), promise.isPending else { continue }
            complaints.append("\(number) is pending, though all that waited for it was cancelled")
        }
    }

    /// Releases everything that could settle a promise, so that every promise must settle.
    private func finish() {
        letGo { state in
            defer { (state.seals, state.resolves) = ([:], [:]) }
            return (state.seals, state.resolves)
        }
        time.advance(by: 9)
        wait { self.state.withLock { Array($0.promises.values) }.allSatisfy { $0.isResolved } }
    }

    /// Releases the removed objects, and not under the lock, because that may run any code.
    private func letGo<T>(_ takeOut: (inout State) -> T) {
        _ = state.withLock { takeOut(&$0) }
    }

    /// Waits for what happens on other queues and in tasks. A task stands in line behind those of all other tests, which
    /// may last as long as the suite: the limit ends a wait only once the line has moved often enough for any program.
    private func wait(until condition: () -> Bool) {
        let (deadline, begun, turns) = (DispatchTime.now() + 300, Counter(), Counter())
        while !condition(), .now() < deadline || turns.value < 100 {
            if begun.value == turns.value {
                begun.increment()
                Task { turns.increment() }
            }
            DefaultExecutor.drainBlocking(hops: 1)
            Self.first.queue.sync {}
            Self.second.queue.sync {}
            sched_yield()
        }
    }

    private func checkOutcomes(_ reference: Reference) {
        let promises = state.withLock { $0.promises }
        let outcomes = program.nodes.indices.map { number in promises[number]?.result.map { Outcome($0) } }
        for number in program.nodes.indices {
            guard promises[number] != nil else { continue }
            guard let outcome = outcomes[number] else {
                complaints.append("\(number) is pending for ever")
                continue
            }
            let runs = state.withLock { $0.runs[number] } ?? 0
            if let allowed = reference.allowed(number, outcomes), !allowed.contains(outcome) {
                complaints.append("\(number) came to \(outcome), not one of \(allowed)")
            }
            if let allowed = reference.runs(number, outcomes), !allowed.contains(runs) {
                complaints.append("the handler of \(number) ran \(runs) times, not \(allowed)")
            }
        }
        for (number, runs) in state.withLock({ $0.runs }) where runs > 1 {
            complaints.append("the handler of \(number) ran \(runs) times")
        }
    }

    private func checkOrder(_ reference: Reference) {
        let entries = state.withLock { $0.entries }
        for queue in [Program.Place.pledge, .first, .second] {
            for input in program.nodes.indices {
                let numbers = entries.filter { $0.queue == queue && $0.input == input }.map(\.number)
                    .filter { !reference.mayChangePlace($0) }
                    // Of those that come later, each after all that were there from the beginning.
                    .map { min($0, program.nodes.count) }
                if numbers != numbers.sorted() {
                    complaints.append("the handlers of \(input) on \(queue) ran in the order \(numbers)")
                }
            }
        }
    }

    private func checkNothingLeft() {
        letGo { state in
            defer { (state.promises, state.guarantees) = ([:], [:]) }
            return (state.promises, state.guarantees)
        }
        wait { cage.survivors.isEmpty }
        if !cage.survivors.isEmpty { complaints.append("still alive: \(cage.survivors)") }
    }
}
