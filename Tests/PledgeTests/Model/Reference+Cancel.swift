extension Reference {
    /// Returns whether these cancels must have canceled a source once all threads have ended. This is known only for a source
    /// that nothing settles; for all others, the result is false.
    func mustBeCancelled(_ number: Int, _ cancels: Set<Int>) -> Bool {
        for action in program.actions {
            switch action {
            case .attach, .meet, .wait, .ring: return false
            default: continue
            }
        }
        switch program.nodes[number].kind {
        case .source: return settled(number) == [.dropped] && hasLeft(number, cancels)
        case .pause: return hasLeft(number, cancels)
        default: return false
        }
    }

    /// Returns whether a promise was canceled itself, or all its dependents were.
    private func hasLeft(_ number: Int, _ cancels: Set<Int>) -> Bool {
        if cancels.contains(number) { return true }
        let waiting = program.dependents(number)
        return !waiting.isEmpty && waiting.allSatisfy { keepsUntilCancelled($0, number) && hasLeft($0, cancels) }
    }

    private func keepsUntilCancelled(_ number: Int, _ input: Int) -> Bool {
        switch program.nodes[number].kind {
        case .step(let step, let first, let other, _):
            step != .awaited && step != .shared && first == input && other != input
        case .guaranteeStep(_, let first, let other, _): first == input && other != input
        default: false
        }
    }

    /// Returns whether a canceled promise must be released with its last reference. This is known only for operators that
    /// have no work of their own and no dependents. The result is false for a guarantee, because a guarantee is kept until its
    /// closure has run.
    func endsWithLastReference(_ number: Int) -> Bool {
        guard program.dependents(number).isEmpty, !program.isWaitedForLater(number), let step = program.step(number)
        else { return false }
        return ![.ensure, .ensureThen, .awaited, .retry, .timeout].contains(step)
    }
}

extension Program {
    /// The promises that may wait for a promise.
    func dependents(_ number: Int) -> [Int] {
        nodes.indices.filter { inputs($0).contains(number) || works($0) == number }
    }

    /// Returns whether an action may add a handler to a promise.
    func isWaitedForLater(_ number: Int) -> Bool {
        actions.contains { action in
            switch action {
            case .attach(number, _), .meet(number), .wait(number): true
            default: false
            }
        }
    }
}
