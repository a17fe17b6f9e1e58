import Pledge
import PledgeTestSupport
import Testing

@Suite("done, get, tap, ensure, and ensureThen")
struct DoneTests {
    static let outcomes: [Result<Int, any Error>] = [
        .success(1), .failure(Fault.one), .failure(PromiseError.cancelled),
    ]

    @Test("done and get receive the value, get passes it on, and both reject with the error that their closure throws")
    func done() async throws {
        let values = Recorder<Int>()
        let after: Promise<Void> = Promise.value(1).get { values.append($0) }.done { values.append($0 + 1) }
        try await after.value
        #expect(values.all == [1, 2])
        await #expect(throws: Fault.one) { try await Promise.value(1).done { _ in throw Fault.one }.value }
        await #expect(throws: Fault.one) { try await Promise.value(1).get { _ in throw Fault.one }.value }
    }

    @Test("tap and ensure run once, whatever the outcome, which tap receives, and pass it on", arguments: outcomes)
    func tap(outcome: Result<Int, any Error>) async {
        let (received, calls) = (Recorder<Result<Int, any Error>>(), Counter())
        let promise = Promise { $0.resolve(outcome) }.tap { received.append($0) }.ensure { calls.increment() }
        #expect("\(await promise.outcome())" == "\(outcome)")
        #expect("\(received.all)" == "\([outcome])" && calls.value == 1)
    }

    @Test("ensureThen passes the outcome on when its work is done", arguments: outcomes)
    func ensureThen(outcome: Result<Int, any Error>) async {
        let (work, finish) = Guarantee<Void>.pending()
        let promise = Promise { $0.resolve(outcome) }.ensureThen { work }
        await DefaultExecutor.drain()
        #expect(promise.isPending)
        finish(())
        #expect("\(await promise.outcome())" == "\(outcome)")
    }
}
