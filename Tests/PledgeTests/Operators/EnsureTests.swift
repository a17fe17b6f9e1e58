import Pledge
import PledgeTestSupport
import Testing

@Suite("ensure and ensureThen")
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
}
