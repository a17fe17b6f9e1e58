import Dispatch
import Pledge
import PledgeTestSupport
import Testing

/// Two resolvers and a cancel on three threads, while a fourth adds handlers: who is first is left to chance.
@Suite("The first of several concurrent calls that settle a promise", .serialized)
struct SettlingRaceTests {
    enum Registration: CaseIterable {
        case before, meanwhile, after
    }

    static let queues = [
        nil, DispatchQueue(label: "serial race"), DispatchQueue(label: "concurrent race", attributes: .concurrent),
    ]

    @Test("decides its outcome, and every handler runs exactly once", arguments: queues, Registration.allCases)
    func handlersOfTheSource(queue: DispatchQueue?, registration: Registration) {
        ThreadCrew.rounds(Rounds.count(usual: 40, isSlow: false), threads: 4) { round, crew in
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
            for _ in 0..<3 {
                DefaultExecutor.drainBlocking(hops: 2)
                queue?.sync(flags: .barrier) {}
            }

            #expect(ensures.value == 1)
            switch source.promise.result {
            case .success(let value)?:
                #expect(values.all == [value] && errors.count == 0)
                #expect(source.stopCount == 0)
            case .failure(let error)?:
                #expect(errors.count == 1 && values.count == 0)
                #expect(errors.all.map { "\($0)" } == ["\(error)"])
                #expect(source.stopCount == (error.isCancelled ? 1 : 0))
            case nil: Issue.record("the promise is still pending")
            }
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
}
