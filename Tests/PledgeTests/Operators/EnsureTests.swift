import Pledge
import PledgeTestSupport
import Testing

@Suite("ensure, ensureThen, and finally")
struct EnsureTests {
    @Test("ensure runs once, whatever the outcome, and passes it on", arguments: DoneTests.outcomes)
    func ensure(outcome: Result<Int, any Error>) async {
        let calls = Counter()
        let passedOn = await Promise { $0.resolve(outcome) }.ensure { calls.increment() }.outcome()
        #expect("\(passedOn)" == "\(outcome)")
        #expect(calls.value == 1)
    }

    @Test("ensureThen passes the outcome on when its work is done", arguments: DoneTests.outcomes)
    func ensureThen(outcome: Result<Int, any Error>) async {
        let (work, finish) = Guarantee<Void>.pending()
        let promise = Promise { $0.resolve(outcome) }.ensureThen { work }
        await DefaultExecutor.drain()
        #expect(promise.isPending)
        finish(())
        let passedOn = await promise.outcome()
        #expect("\(passedOn)" == "\(outcome)")
    }

    @Test("finally runs at the end of a chain, after success and failure", arguments: [true, false])
    func finally(goesWell: Bool) async {
        let events = Recorder<String>()
        let promise = goesWell ? Promise.value(1) : Promise(error: Fault.one)
        promise.done { _ in events.append("done") }
            .catch { _ in events.append("catch") }
            .finally { events.append("finally") }
        await DefaultExecutor.drain()
        #expect(events.all == [goesWell ? "done" : "catch", "finally"])
    }
}
