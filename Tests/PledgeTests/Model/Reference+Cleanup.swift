extension Reference {
    /// The `ensure`s that must have ended, together with their work, before a handler of a promise begins.
    func cleanups(before number: Int, of input: Int, _ outcomes: [Outcome?]) -> Set<Int> {
        // A canceled `ensure` runs at once in two cases: its source continues for another dependent, or its source is a guarantee
        // that waits for a promise which the cancel does not reach.
        if program.isCleanup(number), mayBeCancelled(number), !isAlone(number, at: input) || goesOn(input, outcomes) {
            return []
        }
        return cleanups(upTo: input, outcomes)
    }

    /// Returns whether a guarantee waits for a promise that a cancel does not reach.
    private func goesOn(_ number: Int, _ outcomes: [Outcome?]) -> Bool {
        program.isGuarantee(number)
            && awaited(number, outcomes).contains { !isAlone(number, at: $0) || goesOn($0, outcomes) }
    }

    /// - Parameter rejects: Whether a canceled promise waits for this one. The canceled promise rejects at once, unless an
    ///   `ensure` above it still has to run.
    private func cleanups(upTo number: Int, _ outcomes: [Outcome?], rejects: Bool = false) -> Set<Int> {
        let isRejected = program.isGuarantee(number) ? rejects : mayBeCancelled(number)
        return awaited(number, outcomes).filter { !isRejected || isAlone(number, at: $0) }
            .reduce(program.isCleanup(number) ? [number] : []) {
                $0.union(cleanups(upTo: $1, outcomes, rejects: isRejected))
            }
    }

    /// The promises that must settle and finish their cleanup before promise `number` settles, unless that promise is
    /// canceled. A guarantee waits for its value even if it is canceled.
    private func awaited(_ number: Int, _ outcomes: [Outcome?]) -> [Int] {
        switch program.nodes[number].kind {
        case .step(.timeout, _, _, _), .step(.retry, _, _, _), .step(.awaited, _, _, _): []
        case .step(_, let first, _, _), .guaranteeStep(_, let first, _, _): [first]
        case .joined(.resolved, let inputs), .joined(.allGuarantees, let inputs): inputs
        case .joined(.all, let inputs), .joined(.allInTurn, let inputs): outcomes[number]?.number == nil ? [] : inputs
        default: []
        }
    }

    /// Returns whether only promise `number` ever waits for `input`, so that a cancel of `number` reaches `input`.
    private func isAlone(_ number: Int, at input: Int) -> Bool {
        program.step(number) != .shared && !program.isWaitedForLater(input) && program.dependents(input) == [number]
            && program.inputs(number).filter { $0 == input }.count == 1 && program.works(number) != input
    }
}

extension Program {
    /// The promise for which an `ensureThen` waits.
    func works(_ number: Int) -> Int? {
        if case .step(.ensureThen, _, let other, _) = nodes[number].kind { other } else { nil }
    }

    /// The operator that made a promise from another promise, or nil if the promise was made in another way.
    func step(_ number: Int) -> Step? {
        if number < nodes.count, case .step(let step, _, _, _) = nodes[number].kind { step } else { nil }
    }

    func isCleanup(_ number: Int) -> Bool { [.ensure, .ensureThen].contains(step(number)) }
}
