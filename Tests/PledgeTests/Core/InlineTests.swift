import Dispatch
import Pledge
import PledgeTestSupport
import Testing

@Suite("A handler on no queue")
struct InlineTests {
    private let events = Recorder<String>()

    @Test("may wait for a promise that depends on one it settled itself")
    func waits() {
        let (first, second, third) = (Source(Int.self), Source(Int.self), Source(Int.self))
        let doubled = second.promise.map(on: nil) { $0 * 2 }
        third.promise.done(on: nil) { [events] _ in events.append("third") }.cauterize()
        first.promise.done(on: nil) { [events] _ in
            second.seal.fulfill(2)
            events.append("\(try doubled.wait())")
            // Still a step.
            third.seal.fulfill(3)
            events.append("first")
        }.cauterize()
        first.seal.fulfill(1)
        #expect(events.all == ["4", "first", "third"])
    }

    #if compiler(>=6.2) && (os(macOS) || os(Linux) || os(Windows) || os(FreeBSD))
        @Test("is also what a configuration without queues means")
        func configured() async {
            await #expect(processExitsWith: .success) {
                PromiseConfiguration.shared.queues = (map: nil, return: nil)
                let ran = Counter()
                Promise.value(1).map { $0 + 1 }.done { _ in ran.increment() }.cauterize()
                #expect(ran.value == 1)
            }
        }
    #endif
}
