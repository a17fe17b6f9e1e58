import Dispatch
import PledgeMainActor
import PledgeTestSupport
import Testing

@Suite("Closures without a queue, in a file that imports PledgeMainActor")
@MainActor
struct ChainTests {
    @MainActor
    private final class Screen {
        var lines: [String] = []

        func show(_ promise: Promise<Int>) -> Promise<Void> {
            promise.map { value in
                self.lines.append("map")
                return value + 1
            }.ensure {
                self.lines.append("ensure")
            }.done { value in
                self.lines.append("done \(value)")
            }.catch { error in
                self.lines.append("catch \(error)")
            }
        }
    }

    @Test("use the main actor's state")
    func state() async throws {
        let screen = Screen()

        try await screen.show(.value(1)).value
        try await screen.show(Promise(error: Fault.one)).value

        #expect(screen.lines == ["map", "ensure", "done 2", "ensure", "catch \(Fault.one)"])
    }

    @Test("run on the main actor with every operator, of promises and of guarantees")
    func everyVerb() async throws {
        var seen: [String] = []
        let (value, list) = (Promise.value(1), Promise.value([1]))
        let (failed, nothing) = (Promise<Int>(error: Fault.one), Promise<Void>(error: Fault.one))
        try await value.then { _ in Promise.value(seen.append("then")) }.value
        try await value.map { _ in seen.append("map") }.value
        try await value.compactMap { _ in Optional(seen.append("compactMap")) }.value
        try await value.done { _ in seen.append("done") }.value
        _ = try await value.get { _ in seen.append("get") }.value
        _ = try await value.tap { _ in seen.append("tap") }.value
        _ = try await value.ensure { seen.append("ensure") }.value
        _ = try await value.ensureThen { Guarantee.value(seen.append("ensureThen")) }.value
        try await failed.catch { _ in seen.append("catch") }.value
        try await failed.catch(only: Fault.self) { _ in seen.append("catch a type") }.value
        try await failed.catch(only: Fault.one) { _ in seen.append("catch one") }.value
        await nothing.recover { _ in seen.append("recover") }.value
        try await nothing.recover(only: Fault.self) { _ in seen.append("recover a type") }.value
        try await nothing.recover(only: Fault.one) { _ in seen.append("recover one") }.value
        _ = try await failed.recover { _ in Promise.value(seen.count) }.value
        _ = try await failed.recover(only: Fault.self) { _ in Promise.value(seen.count) }.value
        _ = try await failed.recover(only: Fault.one) { _ in Promise.value(seen.count) }.value
        _ = await failed.recover { _ in Guarantee.value(seen.count) }.value
        let other = failed.mapError { _ in
            seen.append("mapError")
            return Fault.two
        }
        await #expect(throws: Fault.two) { try await other.value }
        let factor = Factor()
        let numbers = try await list.mapValues { $0 * factor.value }.flatMapValues { [$0 * factor.value] }
            .compactMapValues { $0 * factor.value }.value
        _ = try await list.thenMap { Promise.value($0 * factor.value) }
            .thenFlatMap { Promise.value([$0 * factor.value]) }.value
        _ = try await list.filterValues { $0 < factor.value }.firstValue { $0 < factor.value }.value
        #expect(numbers == [8])

        let (sure, sureList) = (Guarantee.value(1), Guarantee.value([1]))
        await sure.map { _ in seen.append("sure map") }.value
        await sure.then { _ in Guarantee.value(seen.append("sure then")) }.value
        await sure.done { _ in seen.append("sure done") }.value
        _ = await sure.get { _ in seen.append("sure get") }.value
        let ones = sureList.mapValues { $0 * factor.value }.flatMapValues { [$0 * factor.value] }
            .compactMapValues { $0 * factor.value }.thenMap { Guarantee.value($0 * factor.value) }
            .thenFlatMap { Guarantee.value([$0 * factor.value]) }.filterValues { $0 > factor.value }
        #expect(await ones.value == [32])

        await withCheckedContinuation { continuation in
            Promise().finally {
                seen.append("finally")
                continuation.resume()
            }
        }
        #expect(
            seen == [
                "then", "map", "compactMap", "done", "get", "tap", "ensure", "ensureThen", "catch", "catch a type",
                "catch one", "recover", "recover a type", "recover one", "mapError", "sure map", "sure then",
                "sure done", "sure get", "finally",
            ])
    }

    /// State of the main actor, which a closure can use only there.
    @MainActor
    private final class Factor {
        let value = 2
    }

    @Test("run elsewhere if a queue is specified")
    func elsewhere() async throws {
        let queue = MarkedQueue()
        #expect(try await Promise.value(1).map(on: queue.queue) { _ in queue.isCurrent }.value)
    }
}
