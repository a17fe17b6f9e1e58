import Pledge
import PledgeTestSupport
import Testing

@Suite("The guarantees about order")
struct OrderTests {
    /// The numbered sentences of the article "Where handlers run", each with the tests that check it. Rules that involve
    /// several queues or threads are checked by the random programs, and by the programs that run in every schedule.
    static let sentences: [(number: String, tests: [String])] = [
        ("1", ["ModelTests.programs", "EveryScheduleTests.programs"]),
        ("2", ["ModelTests.programs"]),
        ("3", ["OrderTests.sentAtOnce", "EveryScheduleTests.programs"]),
        ("4", ["APlusTests.later"]),
        ("5", ["EveryScheduleTests.programs"]),
        ("6", ["ModelTests.programs", "DepthTests.thenLoop"]),
        (
            "7",
            ["ModelTests.programs", "EveryScheduleTests.programs", "ExplorerTests.programs"]
        ),
    ]

    @Test(
        "Even inside a closure or a hook, `fulfill` and `cancel` submit all handlers to their queues before they return",
        arguments: [true, false])
    func sentAtOnce(isCancel: Bool) {
        let (outer, inner, events) = (Source(Int.self), Source(Int.self), Recorder<String>())
        let marked = MarkedQueue()
        for number in 1...2 { inner.promise.tap(on: marked.queue) { _ in events.append("\(number)") }.cauterize() }
        @Sendable func settleInner() {
            if isCancel { inner.promise.cancel() } else { inner.seal.fulfill(1) }
            // Waits for the handlers that are already submitted. Handlers that are submitted later would run after "closure".
            marked.queue.sync {}
            events.append("closure")
        }
        if isCancel { outer.seal.onCancel(settleInner) } else { outer.promise.pipe { _ in settleInner() } }
        if isCancel { outer.promise.cancel() } else { outer.seal.fulfill(1) }
        #expect(events.all == ["1", "2", "closure"])
    }
}
