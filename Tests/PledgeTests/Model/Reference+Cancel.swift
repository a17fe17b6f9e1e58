extension Reference {
    /// Whether a source was certainly canceled when all threads have ended, by these cancels. Known only for a source
    /// that nothing settles.
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

    /// Whether it was canceled itself, or all its dependents were.
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

    /// Whether it is released with its last reference, once canceled. Known only for steps without work of their own,
    /// for which nothing waits. A guarantee is kept for its closure.
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

    /// Whether an action may add a handler to it.
    func isWaitedForLater(_ number: Int) -> Bool {
        actions.contains { action in
            switch action {
            case .attach(number, _), .meet(number), .wait(number): true
            default: false
            }
        }
    }
}
