import Pledge
import PledgeCoding
import PledgeHTTP
import PledgeTestSupport
import Testing

@testable import PledgeBatch

@Suite("Errors of a batch", .serialized)
struct BatchErrorTests {
    private static let limit: @Sendable (Int) -> BatchLimit = { _ in BatchLimit(service: "none") }

    private func batch(
        _ rules: BatchRules = BatchRules(), clock: Timekeeper = .live,
        work: @escaping @Sendable (Int, BatchSlot) -> Promise<Int> = { number, _ in .value(number) }
    ) -> Batch<Int, Int> {
        Batch(1...20, rules: rules, clock: clock, limit: Self.limit, work: work)
    }

    @Test("A second run of a batch is refused, no matter which method starts it, and the first run is unaffected")
    func secondRun() async throws {
        let folder = try TemporaryFolder()
        let file = try ResultsFile<Int>(folder.path("r.jsonl"))
        let batch = batch()
        let first = batch.run { _, _ in }
        await #expect(throws: BatchError.alreadyRun) { try await batch.run { _, _ in }.value }
        await #expect(throws: BatchError.alreadyRun) {
            try await batch.run(storingIn: file, by: { "\($0)" }).value
        }
        await #expect(throws: BatchError.alreadyRun) { for try await _ in batch.results {} }
        #expect(try await first.value.done == 20 && file.count == 0)
        #expect(BatchError.alreadyRun.localizedDescription.contains("create a new one"))
    }

    @Test("A second loop over the results of a batch is refused")
    func secondLoop() async throws {
        let batch = batch()
        var count = 0
        for try await _ in batch.results { count += 1 }
        #expect(count == 20)
        await #expect(throws: BatchError.alreadyRun) { for try await _ in batch.results {} }
    }

    @Test("If two tasks wait for the results of one batch, both get an error that says so")
    func severalConsumers() async {
        let (gate, resolver) = Promise<Void>.pending()
        let batch = batch { number, _ in gate.map { number } }
        let results = batch.results
        let tasks = (0..<2).map { _ in Task { for try await _ in results {} } }
        for task in tasks { await #expect(throws: BatchError.severalConsumers) { try await task.value } }
        await Wait.until { batch.isStopped }
        resolver.fulfill(())
    }

    @Test("Work that takes longer than `longestWork` is canceled, and its item fails even if the work goes on")
    func longestWork() async throws {
        let clock = ManualTimekeeper()
        var rules = BatchRules()
        rules.longestWork = 10
        let (ignoring, canceled, seals) = (Promise<Int>.pending(), Counter(), Recorder<Resolver<Int>>())
        let batch = batch(rules, clock: clock.timekeeper) { number, _ in
            switch number {
            case 1: ignoring.promise
            case 2:
                Promise { seal in
                    seals.append(seal)
                    seal.onCancel { canceled.increment() }
                }
            default: .value(number)
            }
        }
        let failures = Recorder<String>()
        let end = batch.run { number, result in
            if case .failure(let error) = result { failures.append("\(number): \(error)") }
        }
        await Wait.until { batch.tally.done == 18 }
        clock.advance(by: 9.5)
        await DefaultExecutor.drain()
        #expect(batch.tally.failed == 0 && canceled.value == 0)
        clock.advance(by: 0.5)
        let tally = try await end.value
        #expect(tally.failed == 2 && canceled.value == 1)
        #expect(failures.all.sorted() == (1...2).map { "\($0): \(BatchError.timedOut(seconds: 10))" })
        ignoring.resolver.fulfill(1)
        #expect(clock.alarmCount == 0)
    }

    @Test("The time that an item waits for a limit doesn't count toward `longestWork`")
    func waits() {
        var rules = BatchRules()
        (rules.longestWork, rules.longestWait) = (10, 10_000)
        var schedule = Schedule(rules, seed: 1)
        schedule.add(1, Schedule.Quota(service: "s", token: HashKey("t"), limit: nil), now: 0)
        var count = AttemptCount()
        schedule.ask(1, now: 0)
        _ = schedule.record(AttemptOutcome(.limited, asking: 100), of: 1, &count, now: 6)
        schedule.ask(1, now: 6)
        schedule.advance(to: 106)
        #expect(schedule.actions.takeAll() == [.begin(1), .send(1), .send(1)])
        schedule.advance(to: 109.5)
        #expect(schedule.actions.takeAll() == [])
        schedule.advance(to: 110)
        #expect(schedule.actions.takeAll() == [.expire(1)])
    }
}
