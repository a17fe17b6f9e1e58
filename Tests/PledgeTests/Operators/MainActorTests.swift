import Dispatch
import Pledge
import PledgeTestSupport
import Testing

@Suite("Handlers on the main actor")
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

    @Test("can use the main actor's state")
    @MainActor
    func touch() async throws {
        let screen = Screen()

        try await screen.show(.value(1)).value
        try await screen.show(Promise(error: Fault.one)).value

        #expect(screen.lines == ["map", "ensure", "done 2", "ensure", "catch \(Fault.one)"])
    }

    @Test("are possible with every operator, of promises and of guarantees")
    @MainActor
    func everyVerb() async throws {
        let main = MainActor.shared
        var seen: [String] = []
        let (value, list) = (Promise.value(1), Promise.value([1]))
        let (failed, nothing) = (Promise<Int>(error: Fault.one), Promise<Void>(error: Fault.one))
        try await value.then(on: main) { _ in Promise.value(seen.append("then")) }.value
        try await value.map(on: main) { _ in seen.append("map") }.value
        try await value.compactMap(on: main) { _ in Optional(seen.append("compactMap")) }.value
        try await value.done(on: main) { _ in seen.append("done") }.value
        _ = try await value.get(on: main) { _ in seen.append("get") }.value
        _ = try await value.tap(on: main) { _ in seen.append("tap") }.value
        _ = try await value.ensure(on: main) { seen.append("ensure") }.value
        _ = try await value.ensureThen(on: main) { Guarantee.value(seen.append("ensureThen")) }.value
        try await failed.catch(on: main) { _ in seen.append("catch") }.value
        try await failed.catch(only: Fault.self, on: main) { _ in seen.append("catch a type") }.value
        try await failed.catch(only: Fault.one, on: main) { _ in seen.append("catch one") }.value
        await nothing.recover(on: main) { _ in seen.append("recover") }.value
        try await nothing.recover(only: Fault.self, on: main) { _ in seen.append("recover a type") }.value
        try await nothing.recover(only: Fault.one, on: main) { _ in seen.append("recover one") }.value
        _ = try await failed.recover(on: main) { _ in Promise.value(1) }.value
        _ = try await failed.recover(only: Fault.self, on: main) { _ in Promise.value(1) }.value
        _ = try await failed.recover(only: Fault.one, on: main) { _ in Promise.value(1) }.value
        _ = await failed.recover(on: main) { _ in Guarantee.value(1) }.value
        await #expect(throws: Fault.two) { try await failed.mapError(on: main) { _ in Fault.two }.value }
        _ = try await list.mapValues(on: main) { $0 }.flatMapValues(on: main) { [$0] }.compactMapValues(on: main) { $0 }
            .value
        _ = try await list.thenMap(on: main) { Promise.value($0) }.thenFlatMap(on: main) { Promise.value([$0]) }.value
        _ = try await list.filterValues(on: main) { $0 > 0 }.firstValue(on: main) { $0 > 0 }.value

        let (sure, sureList) = (Guarantee.value(1), Guarantee.value([1]))
        await sure.map(on: main) { _ in seen.append("sure map") }.value
        await sure.then(on: main) { _ in Guarantee.value(seen.append("sure then")) }.value
        await sure.done(on: main) { _ in seen.append("sure done") }.value
        _ = await sure.get(on: main) { _ in seen.append("sure get") }.value
        let ones: Guarantee<[Int]> = sureList.mapValues(on: main) { $0 }.flatMapValues(on: main) { [$0] }
            .compactMapValues(on: main) { $0 }.thenMap(on: main) { Guarantee.value($0) }
            .thenFlatMap(on: main) { Guarantee.value([$0]) }.filterValues(on: main) { $0 > 0 }
        #expect(await ones.value == [1])

        // The results may be discarded, as without an actor.
        sure.then(on: main) { Guarantee.value($0) }
        sure.done(on: main) { _ in }
        failed.catch(on: main) { _ in }
        nothing.recover(on: main) { _ in }
        nothing.catch { _ in }.finally(on: main) {}
        #expect(
            seen == [
                "then", "map", "compactMap", "done", "get", "tap", "ensure", "ensureThen", "catch", "catch a type",
                "catch one", "recover", "recover a type", "recover one", "sure map", "sure then", "sure done",
                "sure get",
            ])
    }
}
