import Dispatch
import Pledge
import PledgeTestSupport
import Testing

@Suite("Handlers of the main actor")
struct MainActorTests {
    @MainActor
    private final class Screen {
        var lines: [String] = []

        func show(_ promise: Promise<Int>) -> Promise<Void> {
            promise.map(on: MainActor.shared) { value in
                self.lines.append("map")
                return value + 1
            }.ensure(on: MainActor.shared) {
                self.lines.append("ensure")
            }.done(on: MainActor.shared) { value in
                self.lines.append("done \(value)")
            }.catch(on: MainActor.shared) { error in
                self.lines.append("catch \(error)")
            }
        }
    }

    @Test("may touch what is its own")
    @MainActor
    func touch() async throws {
        let screen = Screen()

        try await screen.show(.value(1)).value
        try await screen.show(Promise(error: Fault.one)).value

        #expect(screen.lines == ["map", "ensure", "done 2", "ensure", "catch \(Fault.one)"])
    }
}
