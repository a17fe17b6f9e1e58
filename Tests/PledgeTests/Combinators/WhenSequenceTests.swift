import Pledge
import PledgeTestSupport
import Testing

@Suite("when over a sequence")
struct WhenSequenceTests {
    @Test("handles a few elements at a time, in order, even if called on the main actor")
    @MainActor
    func onMainActor() async throws {
        let underway = Counter()
        let values = try await when(fulfilled: 0..<50, concurrently: 4) { number -> Promise<Int> in
            underway.increment()
            return Promise.value(number * 2).ensure { underway.decrement() }
        }.value

        #expect(values == (0..<50).map { $0 * 2 })
        #expect(underway.peak <= 4)
    }

    @Test("treats an error that the closure throws as an outcome")
    func throwing() async {
        let outcomes = await when(resolved: 0..<4, concurrently: 2) { number -> Promise<Int> in
            if number == 2 { throw Fault.one }
            return .value(number)
        }.value

        #expect(outcomes.map { try? $0.get() } == [0, 1, nil, 3])
    }
}
