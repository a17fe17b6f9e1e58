import PledgeTestSupport

@testable import Pledge

extension ProgramRun {
    /// Creates all promises of the program.
    func build() {
        // The promises created so far, even if an action has released them in the meantime.
        var promises: [Promise<Int>] = []
        var guarantees: [Int: Guarantee<Int>] = [:]
        for number in program.nodes.indices {
            let (promise, guarantee) = make(number, promises, guarantees)
            promises.append(objects.watch(promise, "\(number)"))
            guarantees[number] = guarantee
            state.withLock {
                $0.promises[number] = promise
                $0.guarantees[number] = guarantee
            }
        }
        perform(
            state.withLock { state in
                state.isBuilt = true
                return state.early
            })
    }

    private func make(
        _ number: Int, _ promises: [Promise<Int>], _ guarantees: [Int: Guarantee<Int>]
    ) -> (Promise<Int>, Guarantee<Int>?) {
        func sure(_ guarantee: Guarantee<Int>) -> (Promise<Int>, Guarantee<Int>?) { (guarantee._promise, guarantee) }
        switch program.nodes[number].kind {
        case .source:
            let (promise, seal) = Promise<Int>.pending()
            let token = token(number, of: -1, on: .inline)
            seal.onCancel { token.enter() }
            state.withLock { $0.seals[number] = seal }
            return (promise, nil)
        case .guaranteeSource:
            let (guarantee, resolve) = Guarantee<Int>.pending()
            state.withLock { $0.resolves[number] = resolve }
            return sure(guarantee)
        case .pause: return sure(after(seconds: 1, timekeeper: time.timekeeper).map(on: nil) { 0 })
        case .value(let value): return (.value(value), nil)
        case .error(let fault): return (Promise(error: fault), nil)
        case .step(let step, let first, let other, let place):
            // A `thenMap` waits for a list that is made from the input, and not for the input itself.
            let token = token(number, of: step == .thenMap ? -1 : first, on: place)
            return (apply(step, number, promises[first], promises[other], guarantees[other], place, token), nil)
        case .guaranteeStep(let step, let first, let other, let place):
            let token = token(number, of: first, on: place)
            return sure(apply(step, number, promises[first], guarantees[first], guarantees[other], place, token))
        case .joined(let joined, let inputs):
            return apply(joined, inputs.map { promises[$0] }, inputs.compactMap { guarantees[$0] })
        }
    }

    private func apply(
        _ step: Program.Step, _ number: Int, _ input: Promise<Int>, _ other: Promise<Int>, _ work: Guarantee<Int>?,
        _ place: Program.Place, _ token: Token
    ) -> Promise<Int> {
        let (queue, flags) = (place.queue, place.flags)
        switch step {
        case .map: return input.map(on: queue, flags: flags) { Sums.map(token($0), number) }
        case .throwing:
            return input.map(on: queue, flags: flags) {
                if Sums.isRefused(token($0)) { throw Fault.two }
                return $0
            }
        case .then: return input.then(on: queue, flags: flags) { token($0) < 0 ? input : other }
        case .compactMap:
            return input.compactMap(on: queue, flags: flags) { Sums.isRefused(token($0)) ? nil : $0 }
                .mapError(on: nil) { if case PromiseError.compactMap = $0 { Fault("none") } else { $0 } }
        case .done: return input.done(on: queue, flags: flags) { _ = token($0) }.map(on: nil) { 0 }
        case .get: return input.get(on: queue, flags: flags) { _ = token($0) }
        case .tap: return input.tap(on: queue, flags: flags) { _ = token($0) }
        case .asVoid: return input.asVoid().map(on: nil) { 0 }
        case .caught:
            return input.catch(on: queue, flags: flags, policy: .allErrors) { _ = token($0) }.map(on: nil) { 0 }
        case .caughtOne:
            return input.catch(only: Fault.one, on: queue, flags: flags) { _ = token($0) }.map(on: nil) { 0 }
        case .recover:
            return input.recover(on: queue, flags: flags, policy: .allErrors) { token($0, other) }
        case .recoverOne:
            return input.recover(only: Fault.one, on: queue, flags: flags) { token($0) == .two ? input : other }
        case .mapError: return input.mapError(on: queue, flags: flags) { _ in token(Fault("mapped")) }
        case .ensure: return input.ensure(on: queue, flags: flags) { token.enter() }
        case .ensureThen:
            return input.ensureThen(on: queue, flags: flags) {
                let work = token(work)?._promise ?? .value(0)
                return Guarantee { resolve in
                    work.pipe { _ in
                        token.record(.done)
                        resolve(())
                    }
                }
            }
        case .cauterize: return input.cauterize().map(on: nil) { 0 }
        case .timeout: return input.timeout(seconds: 2, timekeeper: time.timekeeper)
        case .followed: return Promise(input)
        case .shared: return input.shared()
        case .awaited: return Promise { try await input.value }
        case .retry:
            let attempts = Counter()
            return Pledge.retry(attempts: 2) { attempts.next() == 1 ? input : other }
        case .thenMap:
            return input.map(on: nil) { [$0] }.thenMap(on: queue, flags: flags) { token($0) < 0 ? input : other }
                .mapValues(on: nil) { $0 + 1 }.lastValue
        case .firstValue: return input.map(on: queue, flags: flags) { [token($0) + 1, 0] }.firstValue
        }
    }

    private func apply(
        _ step: Program.GuaranteeStep, _ number: Int, _ input: Promise<Int>, _ guarantee: Guarantee<Int>?,
        _ other: Guarantee<Int>?, _ place: Program.Place, _ token: Token
    ) -> Guarantee<Int> {
        let (queue, flags) = (place.queue, place.flags)
        guard step != .settled, let other else { return input.settled().map(on: nil) { Sums.outcome($0) } }
        if step == .recover {
            return input.recover(on: queue, flags: flags) { token($0, other) }
        }
        guard let guarantee else { return other }
        switch step {
        case .map: return guarantee.map(on: queue, flags: flags) { Sums.map(token($0), number) }
        case .then: return guarantee.then(on: queue, flags: flags) { token($0) < 0 ? guarantee : other }
        case .done: return guarantee.done(on: queue, flags: flags) { _ = token($0) }.map(on: nil) { 0 }
        case .get: return guarantee.get(on: queue, flags: flags) { _ = token($0) }
        default: return guarantee.asVoid().map(on: nil) { 0 }
        }
    }

    private func apply(
        _ joined: Program.Joined, _ inputs: [Promise<Int>], _ guarantees: [Guarantee<Int>]
    ) -> (Promise<Int>, Guarantee<Int>?) {
        let guarantee: Guarantee<Int>
        switch joined {
        case .all: return (when(fulfilled: inputs).map(on: nil) { Sums.all($0) }, nil)
        case .allInTurn:
            return (when(fulfilled: inputs.makeIterator(), concurrently: 2).map(on: nil) { Sums.all($0) }, nil)
        case .first: return (race(inputs), nil)
        case .firstFulfilled: return (race(fulfilled: inputs), nil)
        case .resolved: guarantee = when(resolved: inputs).map(on: nil) { Sums.all($0.map { Sums.outcome($0) }) }
        case .resolvedInTurn:
            guarantee = when(resolved: inputs.makeIterator(), concurrently: 2).map(on: nil) { $0.count }
        case .allGuarantees: guarantee = when(guarantees: guarantees).map(on: nil) { Sums.all($0) }
        case .firstGuarantee:
            // Doesn't nest races, because the inner race would continue when the outer race has ended.
            switch guarantees.count {
            case 1: guarantee = race(guarantees[0])
            case 2: guarantee = race(guarantees[0], guarantees[1])
            default: guarantee = race(guarantees[0], guarantees[1], guarantees[2])
            }
        }
        return (guarantee._promise, guarantee)
    }
}
