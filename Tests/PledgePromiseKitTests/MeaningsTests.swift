@_spi(PromiseKit) import PledgePromiseKit
import PledgeTestSupport
import Testing

@Suite("Behavior as in PromiseKit")
struct MeaningsTests {
    private let cancelled = Promise<Int>(error: PMKError.cancelled)

    @Test("As in PromiseKit, `when` accepts any number of promises without a value as separate arguments")
    func voidVariadic() async throws {
        let three: Promise<Void> = when(fulfilled: Promise(), Promise(), Promise())
        try await three.async()
        let nine: Promise<Void> = when(
            fulfilled: Promise(), Promise(), Promise(), Promise(), Promise(), Promise(), Promise(), Promise(),
            Promise(error: Fault.one))
        await #expect(throws: Fault.one) { try await nine.async() }
    }

    @Test("As in PromiseKit, `recover` skips cancellation unless its policy includes cancellation")
    func recoverPolicy() async throws {
        let passed = await failure(of: cancelled.recover { _ in Promise.value(1) })
        #expect(passed?.isCancelled == true)
        #expect(try await cancelled.recover(policy: .allErrors) { _ in Promise.value(1) }.async() == 1)
    }

    @Test("Each of Pledge's own errors arrives as PromiseKit's error of the same name, and none stops the program")
    func names() async {
        let names: [(PromiseError, PMKError)] = [
            (.invalidCallingConvention, .invalidCallingConvention), (.returnedSelf, .returnedSelf),
            (.badInput("a race of nothing"), .badInput), (.cancelled, .cancelled), (.emptySequence, .emptySequence),
            (.noWinner([]), .noWinner),
        ]
        for (own, theirs) in names { #expect(isSame(await failure(of: Promise<Int>(error: own)), theirs)) }
        let none = await when(resolved: [Promise.value(1)].makeIterator(), concurrently: 0).async()
        if case .rejected(let error)? = none.first { #expect(isSame(error, .badInput)) } else { Issue.record("waited") }
    }

    @Test("As in PromiseKit, `when` accepts promises of different types; values of a single type keep that type")
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

    @Test("Handlers receive Pledge's own errors as PMKError, and `wait` and `hang` throw them as PMKError")
    func errors() async {
        let (seen, broken) = (Recorder<Bool>(), Promise.value([Int]()).firstValue)
        @discardableResult @Sendable func note(_ error: (any Error)?) -> Int {
            seen.append(isSame(error, .emptySequence))
            return 1
        }
        @Sendable func look(_ result: Result<Int>?) {
            if case .rejected(let error)? = result { note(error) } else { note(nil) }
        }
        func block(_ wait: (Promise<Int>) throws -> Int) {
            do { _ = try wait(broken) } catch { note(error) }
        }
        let ends: [any Thenable] = [
            broken.asVoid().catch { note($0) }, broken.catch(only: PMKError.self) { note($0) },
            broken.recover { Promise.value(note($0)) }, broken.recover { Guarantee.value(note($0)) },
            broken.recover(only: PMKError.self) { Promise.value(note($0)) }, broken.asVoid().recover { note($0) },
            broken.asVoid().recover(only: PMKError.self) { note($0) }, broken.tap { look($0) },
        ]
        for end in ends { await end.end() }
        broken.pipe { look($0) }
        look(broken.result)
        note(broken.error)
        look(await when(resolved: [broken]).async().first)
        do { _ = try await broken.async() } catch { note(error) }
        block { try $0.wait() }
        block { try hang($0) }
        #expect(seen.all == Array(repeating: true, count: 15))
    }

    @Test("`compactMap` rejects with a PMKError if the property is nil")
    func missingProperty() async {
        let (promise, guarantee) = (Promise.value(Optional<Int>.none), Guarantee.value(Optional<Int>.none))
        #expect(await failure(of: promise.compactMap(\.self)) is PMKError)
        #expect(await failure(of: guarantee.compactMap(\.self)) is PMKError)
    }

    @Test("Awaiting the `value` of a pending promise or guarantee waits until it settles, as in Pledge")
    func awaiting() async throws {
        let (promise, seal) = Promise<Int>.pending()
        after(.milliseconds(0)).done { seal.fulfill(1) }
        let value = try await promise.value
        #expect(value + 1 == 2)
        let sure = await after(.milliseconds(0)).map { 2 }.value
        #expect(sure + 1 == 3)
    }
}

/// Waits for a promise, and returns its error as PromiseKit's. Pledge's own `outcome()` would not translate the error.
func failure<T>(of promise: Promise<T>) async -> (any Error)? {
    do {
        _ = try await promise.async()
        return nil
    } catch {
        return error
    }
}

/// Returns whether an error is this error of PromiseKit. The descriptions are compared, because each error has a different one.
func isSame(_ error: (any Error)?, _ wanted: PMKError) -> Bool {
    (error as? PMKError)?.debugDescription == wanted.debugDescription
}
