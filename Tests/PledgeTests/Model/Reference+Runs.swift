extension Reference {
    /// How often a handler may have run, or nil if that can no longer be determined.
    func runs(_ number: Int, _ outcomes: [Outcome?]) -> ClosedRange<Int>? {
        switch program.nodes[number].kind {
        case .step(.ensure, _, _, _), .step(.ensureThen, _, _, _): return 1...1
        // The handler of a source is its cancel hook.
        case .source: return outcomes[number].map { $0 == .cancelled ? 1...1 : 0...0 }
        case .step(let step, let first, _, _):
            guard let input = outcomes[first] else { return nil }
            let least = mayBeCancelled(number) ? 0 : 1
            switch step {
            case .map, .throwing, .then, .compactMap, .done, .get, .thenMap, .firstValue:
                return input.number == nil ? 0...0 : least...1
            case .caught, .recover, .mapError: return input.number == nil ? least...1 : 0...0
            case .caughtOne, .recoverOne: return input == .failure("one") ? least...1 : 0...0
            case .tap: return least...1
            default: return nil
            }
        case .guaranteeStep(let step, let first, _, _):
            guard let input = outcomes[first] else { return nil }
            let least = mayBeCancelled(number) ? 0 : 1
            // The closure of a canceled guarantee doesn't have to run if the guarantee was released.
            let needed = outcomes[number] == nil ? least : 1
            switch step {
            case .map, .then: return input.number == nil ? 0...0 : needed...1
            case .recover: return input.number == nil ? needed...1 : 0...0
            case .done, .get: return input.number == nil ? 0...0 : least...1
            default: return nil
            }
        default: return nil
        }
    }

    /// Returns whether a handler may run out of order. The closure of a canceled `ensure` may, because it runs immediately.
    func mayChangePlace(_ number: Int) -> Bool { program.isCleanup(number) && mayBeCancelled(number) }
}
