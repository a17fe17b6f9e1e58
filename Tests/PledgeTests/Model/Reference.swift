import Pledge
import PledgeTestSupport

/// The outcomes that the contract allows for a program. The reference ignores threads, queues, and times. It judges each
/// promise by the outcomes of the promises from which it was created, and by the cancels that might have reached it.
struct Reference {
    let program: Program
    /// The promises that a cancellation may have reached.
    private var cancellable: Set<Int> = []

    init(_ program: Program) {
        self.program = program
        for action in program.actions {
            switch action {
            case .cancel(let number), .abandon(let number): cancellable.insert(number)
            default: continue
            }
        }
        var before = -1
        while before != cancellable.count {
            before = cancellable.count
            for number in program.nodes.indices where isReached(number) { cancellable.insert(number) }
        }
    }

    func mayBeCancelled(_ number: Int) -> Bool { cancellable.contains(number) }

    /// Returns whether a cancel may reach the promise from below: a dependent may stop waiting, and no other one keeps waiting.
    private func isReached(_ number: Int) -> Bool {
        let waiting = program.nodes.indices.filter { program.inputs($0).contains(number) }
        return waiting.contains(where: mayLeave)
            && !waiting.contains { keeps($0, number) || program.step($0) == .shared }
    }

    private func mayLeave(_ number: Int) -> Bool { program.step(number) == .timeout || mayBeCancelled(number) }

    /// Returns whether promise `number` waits for `input` from the beginning to the end.
    private func keeps(_ number: Int, _ input: Int) -> Bool {
        switch program.nodes[number].kind {
        case .step(let step, let first, _, _):
            first == input && !mayLeave(number) && ![.awaited, .retry, .thenMap].contains(step)
        case .guaranteeStep(_, let first, _, _): first == input && !mayLeave(number)
        default: false
        }
    }

    /// The outcomes that a promise may have, or nil if they depend on an outcome that can no longer be determined.
    func allowed(_ number: Int, _ outcomes: [Outcome?]) -> Set<Outcome>? {
        guard let own = own(number, outcomes) else { return nil }
        return mayBeCancelled(number) && !program.isGuarantee(number) ? own.union([.cancelled]) : own
    }

    private func own(_ number: Int, _ outcomes: [Outcome?]) -> Set<Outcome>? {
        switch program.nodes[number].kind {
        case .source, .guaranteeSource: return settled(number)
        case .pause: return [.value(0)]
        case .value(let value): return [.value(value)]
        case .error(let fault): return [.failure(fault.name)]
        case .step(let step, let first, let other, _):
            return outcomes[first].flatMap { result(of: step, number, $0, other, outcomes) }
        case .guaranteeStep(let step, let first, let other, _):
            return outcomes[first].flatMap { result(of: step, number, $0, other, outcomes) }
        case .joined(let joined, let inputs):
            let known = inputs.compactMap { outcomes[$0] }
            return known.count == inputs.count ? result(of: joined, number, known) : nil
        }
    }

    func settled(_ number: Int) -> Set<Outcome> {
        func outcome(_ action: Program.Action) -> Outcome? {
            switch action {
            case .fulfill(number, let value): .value(value)
            case .reject(number, let fault): .failure(fault.name)
            default: nil
            }
        }
        let isSure = program.threads.joined().contains { outcome($0) != nil }
        return Set(program.actions.compactMap(outcome)).union(isSure ? [] : [.dropped])
    }

    private func result(
        of step: Program.Step, _ number: Int, _ input: Outcome, _ other: Int, _ outcomes: [Outcome?]
    ) -> Set<Outcome>? {
        let adopted = outcomes[other].map { Set([$0]) }
        switch (step, input) {
        case (.map, .value(let value)), (.get, .value(let value)), (.tap, .value(let value)):
            return [.value(step == .map ? Sums.map(value, number) : value)]
        case (.throwing, .value(let value)): return [Sums.isRefused(value) ? .failure("two") : input]
        case (.compactMap, .value(let value)): return [Sums.isRefused(value) ? .failure("none") : input]
        case (.then, .value): return adopted
        case (.thenMap, .value): return adopted.map { Set($0.map { $0.number.map { .value($0 + 1) } ?? $0 }) }
        case (.firstValue, .value(let value)): return [.value(value + 1)]
        case (.done, .value), (.asVoid, .value): return [.value(0)]
        case (.caught, _), (.cauterize, _): return [.value(0)]
        case (.caughtOne, .failure("one")), (.caughtOne, .value): return [.value(0)]
        case (.recover, .failure): return adopted
        case (.recoverOne, .failure("one")): return adopted
        case (.mapError, .failure): return [.failure("mapped")]
        case (.timeout, _): return [input, .failure("timed out")]
        // The first attempt returns the first promise, and the second attempt returns the other promise.
        case (.retry, .failure) where input != .cancelled: return adopted
        default: return [input]
        }
    }

    private func result(
        of step: Program.GuaranteeStep, _ number: Int, _ input: Outcome, _ other: Int, _ outcomes: [Outcome?]
    ) -> Set<Outcome>? {
        switch (step, input) {
        case (.settled, _): return [.value(Sums.outcome(input))]
        case (.recover, .failure): return outcomes[other].map { [$0] }
        case (_, .failure): return [input]
        case (.map, .value(let value)): return [.value(Sums.map(value, number))]
        case (.then, .value): return outcomes[other].map { [$0] }
        case (.done, .value), (.asVoid, .value): return [.value(0)]
        default: return [input]
        }
    }

    private func result(of joined: Program.Joined, _ number: Int, _ inputs: [Outcome]) -> Set<Outcome> {
        let (values, all) = (inputs.compactMap(\.number), Set(inputs))
        let failures = all.filter { $0.number == nil }
        switch joined {
        case .all, .allInTurn, .allGuarantees: return failures.isEmpty ? [.value(Sums.all(values))] : failures
        case .resolved: return [.value(Sums.all(inputs.map(Sums.outcome)))]
        // A canceled `when` has only the outcomes that came before the cancel.
        case .resolvedInTurn:
            let least = mayBeCancelled(number) ? 0 : inputs.count
            return Set((least...inputs.count).map { .value($0) })
        case .first, .firstGuarantee: return all
        case .firstFulfilled:
            let lost = all == [.cancelled] ? Outcome.cancelled : .failure("no winner")
            return values.isEmpty ? [lost] : Set(values.map { .value($0) })
        }
    }
}

extension Program {
    /// The promises for which a promise may wait.
    func inputs(_ number: Int) -> [Int] {
        switch nodes[number].kind {
        case .step(let step, let first, let other, _):
            [.then, .thenMap, .recover, .recoverOne, .retry].contains(step) ? [first, other] : [first]
        case .guaranteeStep(let step, let first, let other, _):
            [.then, .recover].contains(step) ? [first, other] : [first]
        case .joined(_, let inputs): inputs
        default: []
        }
    }
}
