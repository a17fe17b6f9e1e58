import Dispatch
@_spi(PromiseKit) import PledgePromiseKit
import PledgeTestSupport
import Testing

@Suite("As in PromiseKit,")
struct MeaningsTests {
    private let cancelled = Promise<Int>(error: PMKError.cancelled)

    @Test("when accepts any number of promises without a value as separate arguments")
    func voidVariadic() async throws {
        let three: Promise<Void> = when(fulfilled: Promise(), Promise(), Promise())
        try await three.async()
        let nine: Promise<Void> = when(
            fulfilled: Promise(), Promise(), Promise(), Promise(), Promise(), Promise(), Promise(), Promise(),
            Promise(error: Fault.one))
        await #expect(throws: Fault.one) { try await nine.async() }
    }

    @Test("recover skips cancellation unless its policy includes it")
    func recoverPolicy() async throws {
        let passed = await failure(of: cancelled.recover { _ in Promise.value(1) })
        #expect(passed?.isCancelled == true)
        #expect(try await cancelled.recover(policy: .allErrors) { _ in Promise.value(1) }.async() == 1)
    }

    @Test("a handler with on: nil runs within the call that adds it, if there is a value")
    func inline() {
        let seen = Recorder<String>()
        Promise.value(1).map(on: nil) { $0 + 1 }.done(on: nil) { seen.append("\($0)") }.catch { _ in }
        Guarantee.value(3).done(on: nil) { seen.append("\($0)") }
        Promise<Int>(error: Fault.one).catch(on: nil) { seen.append("\($0)") }
        #expect(seen.all == ["2", "3", "one"])
    }

    @Test("a promise that returns itself is rejected")
    func returnsItself() async {
        let (source, seal) = Promise<Int>.pending()
        let itself = Locked<Promise<Int>?>(nil)
        let promise = source.then { _ in itself.withLock { $0! } }
        itself.withLock { $0 = promise }
        seal.fulfill(1)
        #expect(isSame(await failure(of: promise), .returnedSelf))
        itself.withLock { $0 = nil }
    }

    @Test("a race of no promises or no guarantees is rejected")
    func raceOfNothing() async {
        let (promises, guarantees): ([Promise<Int>], [Guarantee<Int>]) = ([], [])
        #expect(isSame(await failure(of: race(promises)), .badInput))
        #expect(isSame(await failure(of: race(guarantees)), .badInput))
        #expect(isSame(await failure(of: race(fulfilled: promises)), .badInput))
    }

    @Test("a limit of zero promises at a time is a bad input that does not stop the program")
    func noneAtATime() async {
        let (some, others) = ([Promise.value(1)].makeIterator(), [Promise.value(1)].makeIterator())
        #expect(isSame(await failure(of: when(fulfilled: some, concurrently: 0)), .badInput))
        guard case .rejected(let error)? = await when(resolved: others, concurrently: 0).async().first else {
            Issue.record("not rejected")
            return
        }
        #expect(isSame(error, .badInput))
    }

    @Test("when accepts promises of any types, and keeps the type if they share one")
    func mixed() async throws {
        let any: [any Thenable] = [Promise.value(1), Guarantee.value("two")]
        let values = try await when(fulfilled: any).async()
        #expect(values[0] as? Int == 1 && values[1] as? String == "two")
        #expect(try await when(fulfilled: [any Thenable]()).async().isEmpty)
        let numbers: [Int] = try await when(fulfilled: [Promise.value(1), Promise.value(2)]).async()
        #expect(numbers == [1, 2])
        let failing: [any Thenable] = [Promise<Int>(error: Fault.one), Promise<Int>.pending().promise]
        await #expect(throws: Fault.one) { try await when(fulfilled: failing).async() }
    }

    @Test("the errors of promises themselves are received as PMKError")
    func errors() async {
        let seen = Recorder<String>()
        let broken = Promise.value([Int]()).firstValue
        @discardableResult @Sendable func note(_ place: String, _ error: (any Error)?) -> Int {
            seen.append(isSame(error, .emptySequence) ? place : "not \(place)")
            return 1
        }
        @Sendable func look(_ place: String, _ result: Result<Int>?) {
            if case .rejected(let error)? = result { note(place, error) } else { seen.append("no \(place)") }
        }
        await broken.asVoid().catch { note("catch", $0) }.end()
        await broken.catch(only: PMKError.self) { note("catch only", $0) }.end()
        await broken.recover { Promise.value(note("recover", $0)) }.end()
        await broken.recover { Guarantee.value(note("recover to a guarantee", $0)) }.end()
        await broken.recover(only: PMKError.self) { Promise.value(note("recover only", $0)) }.end()
        await broken.asVoid().recover { note("recover of nothing", $0) }.end()
        await broken.asVoid().recover(only: PMKError.self) { note("recover only of nothing", $0) }.end()
        await broken.tap { look("tap", $0) }.end()
        broken.pipe { look("pipe", $0) }
        look("result", broken.result)
        note("error", broken.error)
        look("when", await when(resolved: [broken]).async().first)
        do { _ = try await broken.async() } catch { note("async", error) }
        #expect(
            seen.all == [
                "catch", "catch only", "recover", "recover to a guarantee", "recover only", "recover of nothing",
                "recover only of nothing", "tap", "pipe", "result", "error", "when", "async",
            ])
    }

    @Test("wait and hang throw PMKError")
    func blocking() {
        let broken = Promise.value([Int]()).firstValue
        #expect(throws: PMKError.self) { try broken.wait() }
        #expect(throws: PMKError.self) { try hang(broken) }
    }

    @Test("a property that is nil is the error that names it")
    func missingProperty() async {
        let (promise, guarantee) = (Promise.value(Optional<Int>.none), Guarantee.value(Optional<Int>.none))
        #expect(await failure(of: promise.compactMap(\.self)) is PMKError)
        #expect(await failure(of: guarantee.compactMap(\.self)) is PMKError)
    }

    @Test("and as in Pledge, awaiting a value waits for it")
    func awaiting() async throws {
        let (promise, seal) = Promise<Int>.pending()
        after(.milliseconds(0)).done { seal.fulfill(1) }
        let value = try await promise.value
        #expect(value + 1 == 2)
        let sure = await after(.milliseconds(0)).map { 2 }.value
        #expect(sure + 1 == 3)
    }
}

/// The error waited for; Pledge's own `outcome()` would not translate it.
func failure<T>(of promise: Promise<T>) async -> (any Error)? {
    do {
        _ = try await promise.async()
        return nil
    } catch {
        return error
    }
}

/// Whether it is this error of PromiseKit's, whose sentences differ.
func isSame(_ error: (any Error)?, _ wanted: PMKError) -> Bool {
    (error as? PMKError)?.debugDescription == wanted.debugDescription
}
