import Pledge
import PledgeTestSupport
import Testing

// "Both onFulfilled and onRejected are optional arguments." Here they are verbs of their own, so what can be left out
// is one verb or the other; ignoring an argument that is no function (2.2.1.1, 2.2.1.2) is the type checker's work.
@Suite("A+ 2.2.1: both handlers are optional")
struct APlus221 {
    @Test("a chain without an error handler delivers the value")
    func valueOnly() async throws {
        #expect(try await Promise.value(1).map { $0 + 1 }.value == 2)
    }

    @Test("a chain without a value handler delivers the error")
    func errorOnly() async {
        let errors = Recorder<Fault?>()
        Promise<Int>(error: Fault.one).catch { errors.append($0 as? Fault) }
        await DefaultExecutor.drain()
        #expect(errors.all == [.one])
    }
}
