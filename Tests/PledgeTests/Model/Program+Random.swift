import PledgeTestSupport

extension Program {
    /// Creates a random program. The same seed always creates the same program.
    init(seed: UInt64) {
        self.seed = seed
        var random = SeededGenerator(seed: seed)
        let count = Int.random(in: 2...14, using: &random)
        // Two thirds of the programs prefer chains of guarantees (1) or chains with cleanups (2), which would be rare by chance.
        let favourite = Int.random(in: 0..<3, using: &random)
        for _ in 0..<count {
            let isLink = favourite > 0 && Int.random(in: 0..<3, using: &random) > 0
            nodes.append(Node(kind: !isLink ? kind(&random) : favourite == 1 ? link(&random) : cleaning(&random)))
        }
        for number in nodes.indices where Int.random(in: 0..<6, using: &random) == 0 {
            nodes[number].inside = [action(&random)]
        }
        for number in nodes.indices where Int.random(in: 0..<8, using: &random) == 0 {
            nodes[number].atEnd = [action(&random)]
        }
        // Some closures cancel their own promise before they return another promise. By chance, this would be rare.
        for number in nodes.indices where inputs(number).count == 2 && Int.random(in: 0..<3, using: &random) == 0 {
            nodes[number].inside = [.cancel(number)]
        }
        // Half of all programs have only one thread, and therefore fewer allowed outcomes.
        let crew = Bool.random(using: &random) ? 1 : Int.random(in: 2...3, using: &random)
        threads = (0..<crew).map { _ in
            (0..<Int.random(in: 0...5, using: &random)).map { _ in
                Int.random(in: 0..<12, using: &random) == 0 ? .wait(any(&random)) : action(&random)
            }
        }
        // If the program prefers cleanups, one of its threads cancels the last promise at a random point.
        guard favourite == 2 else { return }
        let (thread, end) = (Int.random(in: 0..<crew, using: &random), nodes.count - 1)
        threads[thread].insert(.cancel(end), at: Int.random(in: 0...threads[thread].count, using: &random))
    }

    private func any(_ random: inout SeededGenerator) -> Int { Int.random(in: 0..<nodes.count, using: &random) }

    private func guarantee(_ random: inout SeededGenerator) -> Int? {
        nodes.indices.filter(isGuarantee).randomElement(using: &random)
    }

    /// Returns an operator on the latest guarantee.
    private func link(_ random: inout SeededGenerator) -> Kind {
        guard let last = nodes.indices.last(where: isGuarantee) else {
            return [.guaranteeSource, .pause].randomElement(using: &random) ?? .pause
        }
        let step = [GuaranteeStep.map, .then, .done, .get, .asVoid].randomElement(using: &random) ?? .map
        let place = Place.allCases.randomElement(using: &random) ?? .unsaid
        return .guaranteeStep(step, of: last, other: guarantee(&random) ?? last, on: place)
    }

    /// Returns an operator on the latest promise, often an `ensure`.
    private func cleaning(_ random: inout SeededGenerator) -> Kind {
        guard let last = nodes.indices.last(where: { !isGuarantee($0) }) else { return .source }
        let steps = [Step.ensure, .ensure, .ensureThen, .map, .tap, .caught, .asVoid]
        let step = steps.randomElement(using: &random) ?? .ensure
        let place = Place.allCases.randomElement(using: &random) ?? .unsaid
        guard step == .ensureThen, let work = guarantee(&random) else {
            return .step(step == .ensureThen ? .ensure : step, of: last, other: last, on: place)
        }
        return .step(step, of: last, other: work, on: place)
    }

    private func kind(_ random: inout SeededGenerator) -> Kind {
        guard !nodes.isEmpty else { return .source }
        let (one, other) = (any(&random), any(&random))
        let place = Place.allCases.randomElement(using: &random) ?? .unsaid
        switch Int.random(in: 0..<20, using: &random) {
        case 0, 1: return .source
        case 2: return .guaranteeSource
        case 3: return .pause
        case 4: return .value(Int.random(in: 0..<100, using: &random))
        case 5: return .error(.two)
        case 6...8:
            let inputs = (0..<Int.random(in: 1...3, using: &random)).map { _ in any(&random) }
            let joined = Joined.allCases.randomElement(using: &random) ?? .all
            guard joined == .allGuarantees || joined == .firstGuarantee else { return .joined(joined, of: inputs) }
            let guarantees = inputs.filter(isGuarantee)
            return guarantees.isEmpty ? .joined(.resolved, of: inputs) : .joined(joined, of: guarantees)
        case 9...12:
            guard let guarantee = guarantee(&random) else {
                return .guaranteeStep(.settled, of: one, other: 0, on: place)
            }
            let step = GuaranteeStep.allCases.randomElement(using: &random) ?? .map
            let input = step == .settled || step == .recover ? one : self.guarantee(&random) ?? guarantee
            return .guaranteeStep(step, of: input, other: guarantee, on: place)
        default:
            var step = Step.allCases.randomElement(using: &random) ?? .map
            // Tasks that await a promise are slow, so most of them are replaced.
            if step == .awaited, Int.random(in: 0..<8, using: &random) > 0 { step = .map }
            if Int.random(in: 0..<4, using: &random) == 0 { step = .then }
            let isIdle = { (number: Int) in
                if case .source = nodes[number].kind { dependents(number).isEmpty } else { false }
            }
            let idle = nodes.indices.filter(isIdle).last ?? other
            guard step == .ensureThen else { return .step(step, of: one, other: idle, on: place) }
            guard let guarantee = guarantee(&random) else { return .step(.ensure, of: one, other: other, on: place) }
            return .step(.ensureThen, of: one, other: guarantee, on: place)
        }
    }

    private func action(_ random: inout SeededGenerator) -> Action {
        let number = any(&random)
        switch Int.random(in: 0..<18, using: &random) {
        case 0...3: return .cancel(number)
        case 4: return .attach(number, Place.allCases.randomElement(using: &random) ?? .unsaid)
        case 5: return .look(number)
        case 6: return .forget(number)
        case 7: return .ring
        case 8: return .abandon(number)
        case 9: return Int.random(in: 0..<4, using: &random) == 0 ? .meet(number) : .chain
        case let choice:
            let sources = nodes.indices.filter {
                switch nodes[$0].kind {
                case .source, .guaranteeSource: true
                default: false
                }
            }
            guard let source = sources.randomElement(using: &random) else { return .cancel(number) }
            let isFine = choice < 15 || isGuarantee(source)
            return isFine ? .fulfill(source, Int.random(in: 0..<100, using: &random)) : .reject(source, .one)
        }
    }
}
