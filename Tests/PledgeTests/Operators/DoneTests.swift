import Pledge
import PledgeTestSupport
import Testing

@Suite("done, get, and tap")
struct DoneTests {
    static let outcomes: [Result<Int, any Error>] = [
        .success(1), .failure(Fault.one), .failure(PromiseError.cancelled),
    ]

    @Test("done receives the value, and the next handler receives none")
    func done() async throws {
        let values = Recorder<Int>()
        let after: Promise<Void> = Promise.value(1).done { values.append($0) }
        try await after.value
        #expect(values.all == [1])
    }

    @Test("done and get reject with the error that their closure throws")
    func throwing() async {
        await #expect(throws: Fault.one) { try await Promise.value(1).done { _ in throw Fault.one }.value }
        await #expect(throws: Fault.one) { try await Promise.value(1).get { _ in throw Fault.one }.value }
    }

    @Test("get receives the value and passes it on")
    func get() async throws {
        let values = Recorder<Int>()
        #expect(try await Promise.value(1).get { values.append($0) }.value == 1)
        #expect(values.all == [1])
    }

    @Test("tap receives the outcome, even cancellation, and passes it on", arguments: outcomes)
    func tap(outcome: Result<Int, any Error>) async {
        let received = Recorder<Result<Int, any Error>>()
        let passedOn = await Promise { $0.resolve(outcome) }.tap { received.append($0) }.outcome()
        #expect("\(passedOn)" == "\(outcome)")
        #expect("\(received.all)" == "\([outcome])")
    }
}
