extension Reference {
    /// Whether a source was certainly canceled when all threads have ended. Known only for programs in which nothing else
    /// acts, and for sources that nothing settles.
    func mustBeCancelled(_ number: Int) -> Bool {
        guard program.nodes.allSatisfy({ $0.inside.isEmpty && $0.atEnd.isEmpty }) else { return false }
        for action in program.actions {
            switch action {
            case .attach, .look, .wait, .forget, .ring: return false
            default: continue
            }
        }
        switch program.nodes[number].kind {
        case .source: return settled(number) == [.dropped] && hasLeft(number)
        case .pause: return hasLeft(number)
        default: return false
        }
    }

    /// Whether it was canceled itself, or all its dependents were.
    private func hasLeft(_ number: Int) -> Bool {
        if program.actions.contains(where: { if case .cancel(number) = $0 { true } else { false } }) { return true }
        let waiting = program.nodes.indices.filter {
            program.inputs($0).contains(number) || program.works($0) == number
        }
        return !waiting.isEmpty && waiting.allSatisfy { keepsUntilCancelled($0, number) && hasLeft($0) }
    }

    private func keepsUntilCancelled(_ number: Int, _ input: Int) -> Bool {
        switch program.nodes[number].kind {
        case .step(let step, let first, let other, _): step != .awaited && first == input && other != input
        case .guaranteeStep(_, let first, let other, _): first == input && other != input
        default: false
        }
    }
}

extension Program {
    /// The promise for which an `ensureThen` waits.
    fileprivate func works(_ number: Int) -> Int? {
        if case .step(.ensureThen, _, let other, _) = nodes[number].kind { other } else { nil }
    }
}
