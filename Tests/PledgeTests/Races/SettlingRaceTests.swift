import Dispatch
import Pledge
import PledgeTestSupport
import Testing

/// Two resolvers and a cancel on three threads, while a fourth adds handlers: who is first is left to chance.
@Suite("The first of several concurrent calls that settle a promise", .serialized)
struct SettlingRaceTests {
    enum Place: CaseIterable {
        case defaultExecutor, serialQueue, concurrentQueue
    }

    enum Registration: CaseIterable {
        case before, meanwhile, after
    }

    private static let rounds = Rounds.count(usual: 40, isSlow: false)

    @Test("decides its outcome, and every handler runs exactly once", arguments: Place.allCases, Registration.allCases)
    func handlersOfTheSource(place: Place, registration: Registration) {
        let queue = queue(for: place)
        let crew = ThreadCrew(count: 4)
        defer { crew.dismiss() }
        for round in 0..<Self.rounds {
            let source = Source(Int.self)
            let (values, errors, ensures) = (Recorder<Int>(), Recorder<any Error>(), Counter())
            let register: @Sendable () -> Void = {
                source.promise.done(on: queue) { values.append($0) }.cauterize()
                source.promise.catch(on: queue, policy: .allErrors) { errors.append($0) }
                source.promise.ensure(on: queue) { ensures.increment() }.cauterize()
            }
            if registration == .before { register() }
            crew.run(contestants(for: source, round) + (registration == .meanwhile ? [register] : []))
            if registration == .after { register() }
            settleDown(queue)

            guard let outcome = source.promise.result else {
                Issue.record("the promise is still pending")
                return
            }
            #expect(ensures.value == 1)
            switch outcome {
            case .success(let value):
                #expect(values.all == [value] && errors.count == 0)
                #expect(source.stopCount == 0)
            case .failure(let error):
                #expect(errors.count == 1 && values.count == 0)
                #expect(errors.all.map { "\($0)" } == ["\(error)"])
                #expect(source.stopCount == (error.isCancelled ? 1 : 0))
            }
        }
    }

    @Test("decides the outcome of its dependents, canceled or not", arguments: Place.allCases, Registration.allCases)
    func dependents(place: Place, registration: Registration) {
        let queue = queue(for: place)
        let crew = ThreadCrew(count: 4)
        defer { crew.dismiss() }
        for round in 0..<Self.rounds {
            let source = Source(Int.self)
            let calls = Counter()
            let dependent = Locked<Promise<Int>?>(nil)
            let register: @Sendable () -> Void = {
                let promise = source.promise.map(on: queue) { number -> Int in
                    calls.increment()
                    return number
                }.then(on: queue) { Promise.value($0) }
                dependent.withLock { $0 = promise }
            }
            if registration == .before { register() }
            let cancel: @Sendable () -> Void = { dependent.withLock { $0 }?.cancel() }
            var actions = Array(contestants(for: source, round).dropLast()) + [cancel]
            if registration == .meanwhile { actions.append(register) }
            crew.run(actions)
            if registration == .after { register() }
            settleDown(queue)

            guard let outcome = dependent.withLock({ $0 })?.result, source.promise.isResolved else {
                Issue.record("a promise is still pending")
                return
            }
            #expect(calls.value <= 1)
            if case .success(let value) = outcome {
                #expect(calls.value == 1)
                #expect((try? source.promise.result?.get()) == value)
            }
            #expect(source.stopCount == (source.promise.error?.isCancelled == true ? 1 : 0))
        }
    }

    /// The first fulfils, the second fulfils or rejects, the third cancels; who is woken first changes by round.
    private func contestants(for source: Source<Int>, _ round: Int) -> [@Sendable () -> Void] {
        let actions: [@Sendable () -> Void] = [
            { source.seal.fulfill(1) },
            { round.isMultiple(of: 2) ? source.seal.fulfill(2) : source.seal.reject(Fault.one) },
        ]
        return (round % 4 < 2 ? actions : actions.reversed()) + [{ source.promise.cancel() }]
    }

    private func queue(for place: Place) -> DispatchQueue? {
        switch place {
        case .defaultExecutor: nil
        case .serialQueue: DispatchQueue(label: "race")
        case .concurrentQueue: DispatchQueue(label: "race", attributes: .concurrent)
        }
    }

    private func settleDown(_ queue: DispatchQueue?) {
        for _ in 0..<3 {
            DefaultExecutor.drainBlocking(hops: 2)
            queue?.sync(flags: .barrier) {}
        }
    }
}
