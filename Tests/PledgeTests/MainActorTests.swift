import Pledge
import PledgeTestSupport
import Testing

@Suite("Handlers on the main actor")
struct MainActorTests {
    @MainActor
    private final class Screen {
        var lines: [String] = []

        func attempt() throws -> Promise<Int> {
            lines.append("attempt")
            if lines.count < 3 { throw Fault.one }
            return .value(lines.count)
        }
    }

    @Test("With `onMain`, the closure of every operator of promises and guarantees can use the main actor's state")
    @MainActor
    func everyVerb() async throws {
        var count = 0
        func note<T>(_ result: T) -> T {
            count += 1
            return result
        }
        let (value, list) = (Promise.value(1).onMain, Promise.value([1, 2]).onMain)
        let failed = Promise<Int>(error: Fault.one).onMain
        let nothing = Promise<Void>(error: Fault.one).onMain
        let done = [
            value.then { _ in Promise.value(note(())) }, value.map { _ in note(()) }, value.done { _ in note(()) },
            value.compactMap { _ in Optional(note(())) }, failed.catch { _ in note(()) },
            failed.catch(only: Fault.self) { _ in note(()) }, failed.catch(only: Fault.one) { _ in note(()) },
            nothing.recover(only: Fault.self) { _ in note(()) }, nothing.recover(only: Fault.one) { _ in note(()) },
        ]
        let passed = [
            value.get { _ in note(()) }, value.tap { _ in note(()) }, value.ensure { note(()) },
            value.ensureThen { Guarantee.value(note(())) },
        ]
        await nothing.recover { _ in note(()) }.guarantee.value
        for promise in done.map(\.promise) { try await promise.value }
        #expect(try await when(fulfilled: passed.map(\.promise)).value == [1, 1, 1, 1])
        try await nothing.recover { _ in if count == 0 { throw Fault.two } }.promise.value
        #expect(try await failed.recover { _ in Promise.value(count) }.promise.value == 14)
        #expect(try await failed.recover(only: Fault.self) { _ in Promise.value(count) }.promise.value == 14)
        #expect(try await failed.recover(only: Fault.one) { _ in Promise.value(count) }.promise.value == 14)
        #expect(await failed.recover { _ in Guarantee.value(count) }.guarantee.value == 14)
        await #expect(throws: Fault.two) { try await failed.mapError { _ in Fault.two }.promise.value }
        let odd = list.mapValues { $0 + count }.compactMapValues { $0 > 15 ? $0 : nil }
            .filterValues { $0 > count }.thenMap { Promise.value($0 + count) }
        #expect(try await odd.promise.value == [30])
        await withCheckedContinuation { continuation in
            value.done { _ in }.cauterize().finally {
                note(())
                continuation.resume()
            }
        }

        let sure = Guarantee.value(1).onMain
        await sure.map { _ in note(()) }.guarantee.value
        await sure.then { _ in Guarantee.value(note(())) }.guarantee.value
        await sure.done { _ in note(()) }.guarantee.value
        _ = await sure.get { _ in note(()) }.guarantee.value
        #expect(try await sure.map { _ throws in count }.then { Promise.value($0) }.promise.value == 19)
        // The results of these operators may be discarded, as they may be without `onMain`.
        sure.then { Guarantee.value($0) }
        sure.done { _ in }
        failed.catch { _ in }
        nothing.recover { _ in }
        #expect(count == 19)
    }

    @Test("Inside a closure of `retry` or `when`, or inside a cancel hook, `onMain` runs code on the main actor")
    @MainActor
    func fromElsewhere() async throws {
        let screen = Screen()
        let third = retry(attempts: 3) { onMain { try screen.attempt() } }
        #expect(try await third.value == 3)
        let sums = when(fulfilled: [1, 2], concurrently: 1) { number in
            onMain { Promise.value(number + screen.lines.count) }
        }
        #expect(try await sums.value == [4, 5])
        let (promise, seal) = Promise<Int>.pending()
        await withCheckedContinuation { continuation in
            seal.onCancel {
                onMain {
                    screen.lines.append("stopped")
                    continuation.resume()
                }
            }
            promise.cancel()
        }
        #expect(screen.lines == ["attempt", "attempt", "attempt", "stopped"])
    }

    @Test("A handler in an `onMain` chain runs on another queue if it names that queue")
    @MainActor
    func elsewhere() async throws {
        let queue = MarkedQueue()
        let view = Promise.value(1).onMain.map { $0 + 1 }
        #expect(try await view.then(on: queue.queue) { Promise.value($0 == 2 && queue.isCurrent) }.value)
        #expect(try await view.promise.map(on: queue.queue) { $0 == 2 && queue.isCurrent }.value)
    }

    @Test("Handlers on the main actor are canceled with their chain, like handlers on any queue")
    @MainActor
    func canceled() async throws {
        var seen: [String] = []
        let (promise, seal) = Promise<Int>.pending()
        let view = promise.onMain.done { _ in seen.append("done") }.ensure { seen.append("ensure") }
        view.promise.cancel()
        await #expect(throws: PromiseError.cancelled) { try await view.promise.value }
        #expect(seen == ["ensure"] && promise.isRejected)
        seal.fulfill(1)
        try await promise.onMain.catch { _ in seen.append("catch") }.promise.value
        try await promise.onMain.catch(policy: .allErrors) { _ in seen.append("catch of all") }.promise.value
        #expect(seen == ["ensure", "catch of all"])
    }
}
