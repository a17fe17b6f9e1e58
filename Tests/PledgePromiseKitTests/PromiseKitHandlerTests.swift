@preconcurrency import Dispatch  // Before 6.2, `DispatchSpecificKey` is not Sendable.
@_spi(PromiseKit) import PledgePromiseKit
import PledgeTestSupport
import Testing

@Suite("A handler written for PromiseKit")
struct PromiseKitHandlerTests {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()
    private let seen = Recorder<String>()

    @Sendable private func note<T>(_ verb: String, _ value: T = ()) -> T {
        let isMain = DispatchQueue.getSpecific(key: Self.key) == true
        seen.append(isMain ? verb : "\(verb), elsewhere")
        return value
    }

    @Test("of a promise runs on the main queue if it names none")
    func promises() async {
        let (value, list) = (Promise.value(1), Promise.value([1]))
        await value.then { Promise.value(note("then \($0)")) }.end()
        await value.map { note("map \($0)") }.end()
        await value.compactMap { Optional(note("compactMap \($0)")) }.end()
        await value.done { note("done \($0)") }.end()
        await value.get { note("get \($0)") }.end()
        await value.tap { note("tap \($0.isFulfilled)") }.end()
        await value.ensure { note("ensure") }.end()
        await value.ensureThen { Guarantee.value(note("ensureThen")) }.end()
        await list.mapValues { note("mapValues \($0)") }.end()
        await list.flatMapValues { [note("flatMapValues \($0)")] }.end()
        await list.compactMapValues { Optional(note("compactMapValues \($0)")) }.end()
        await list.thenMap { Promise.value(note("thenMap \($0)")) }.end()
        await list.thenFlatMap { Promise.value([note("thenFlatMap \($0)")]) }.end()
        await list.filterValues { note("filterValues \($0)", true) }.end()
        await list.firstValue { note("firstValue \($0)", true) }.end()
        #expect(
            seen.all == [
                "then 1", "map 1", "compactMap 1", "done 1", "get 1", "tap true", "ensure", "ensureThen", "mapValues 1",
                "flatMapValues 1", "compactMapValues 1", "thenMap 1", "thenFlatMap 1", "filterValues 1", "firstValue 1",
            ])
    }

    @Test("of an error runs on the main queue if it names none")
    func errors() async {
        let (failed, nothing) = (Promise<Int>(error: Fault.one), Promise<Void>(error: Fault.one))
        await failed.catch { note("catch \($0)") }.end()
        await failed.catch(only: Fault.self) { note("catch a type \($0)") }.end()
        await failed.catch(only: Fault.one) { note("catch one \($0)") }.end()
        await failed.recover { Promise.value(note("recover \($0)", 1)) }.end()
        await failed.recover { Guarantee.value(note("recover to a guarantee \($0)", 1)) }.end()
        await failed.recover(only: Fault.self) { Promise.value(note("recover a type \($0)", 1)) }.end()
        await failed.recover(only: Fault.one) { Promise.value(note("recover one \($0)", 1)) }.end()
        await nothing.recover { note("go on \($0)") }.end()
        await nothing.recover { error in
            guard error is Fault else { throw error }
            note("go on or throw \(error)")
        }.end()
        await nothing.recover(only: Fault.self) { note("go on after a type \($0)") }.end()
        await nothing.recover(only: Fault.one) { note("go on after one \($0)") }.end()
        let end = Promise<Void>.pending()
        nothing.catch { _ in }.finally {
            note("finally")
            end.resolver.fulfill()
        }
        await end.promise.end()
        #expect(
            seen.all == [
                "catch one", "catch a type one", "catch one one", "recover one", "recover to a guarantee one",
                "recover a type one", "recover one one", "go on one", "go on or throw one", "go on after a type one",
                "go on after one one", "finally",
            ])
    }

    @Test("of a guarantee runs on the main queue if it names none, and returns a guarantee")
    func guarantees() async {
        let (value, list) = (Guarantee.value(1), Guarantee.value([1]))
        await value.then { Guarantee.value(note("then \($0)")) }.async()
        await value.map { note("map \($0)") }.async()
        await value.done { note("done \($0)") }.async()
        _ = await value.get { note("get \($0)") }.async()
        _ = await list.mapValues { note("mapValues \($0)") }.async()
        _ = await list.flatMapValues { [note("flatMapValues \($0)")] }.async()
        _ = await list.compactMapValues { Optional(note("compactMapValues \($0)")) }.async()
        _ = await list.thenMap { Guarantee.value(note("thenMap \($0)")) }.async()
        _ = await list.thenFlatMap { Guarantee.value([note("thenFlatMap \($0)")]) }.async()
        _ = await list.filterValues { note("filterValues \($0)", true) }.async()
        #expect(
            seen.all == [
                "then 1", "map 1", "done 1", "get 1", "mapValues 1", "flatMapValues 1", "compactMapValues 1",
                "thenMap 1", "thenFlatMap 1", "filterValues 1",
            ])
    }

    @Test("runs on the queue that it names")
    func named() async {
        let queue = MarkedQueue()
        #expect(await Promise.value(1).map(on: queue.queue) { _ in queue.isCurrent }.isTrue())
        #expect(await Promise.value(1).map(on: queue.queue, flags: .barrier) { _ in queue.isCurrent }.isTrue())
        #expect(await Guarantee.value(1).map(on: queue.queue) { _ in queue.isCurrent }.async())
    }

    #if compiler(>=6.2) && (os(macOS) || os(Linux) || os(Windows) || os(FreeBSD))
        // The configuration is the whole process's, so each of these tests has a process of its own.

        @Test("runs on the configured queue, or immediately")
        func configured() async {
            await #expect(processExitsWith: .success) {
                let (middle, end) = (MarkedQueue("map"), MarkedQueue("return"))
                conf.Q = (map: middle.queue, return: end.queue)
                #expect(await Promise.value(1).map { _ in middle.isCurrent }.isTrue())
                let seen = Recorder<Bool>()
                await Promise.value(1).done { _ in seen.append(end.isCurrent) }.end()
                conf.Q = (map: nil, return: nil)
                Promise.value(1).done { _ in seen.append(true) }.cauterize()
                #expect(seen.all == [true, true])
            }
        }

        @Test("takes its policy from the configuration")
        func policy() async {
            await #expect(processExitsWith: .success) {
                conf.catchPolicy = .allErrors
                let cancelled = Promise<Int>(error: PMKError.cancelled)
                let value = try await cancelled.recover { _ in Promise.value(1) }.async()
                #expect(value == 1)
                let seen = Recorder<Bool>()
                await cancelled.catch { seen.append($0.isCancelled) }.end()
                #expect(seen.all == [true])
            }
        }

        @Test("of the log receives PromiseKit's events, with its descriptions")
        func log() async {
            await #expect(processExitsWith: .success) {
                let seen = Recorder<String>()
                conf.logHandler = { event in
                    switch event {
                    case .waitOnMainThread: seen.append("waits")
                    case .pendingPromiseDeallocated: seen.append("promise")
                    case .pendingGuaranteeDeallocated: seen.append("guarantee")
                    case .cauterized(let error): seen.append(isSame(error, .emptySequence) ? "empty" : "\(error)")
                    }
                }
                _ = Promise<Int> { _ in }
                _ = Guarantee<Int> { _ in }
                await Promise.value([Int]()).firstValue.cauterize().end()
                conf.logHandler(.cauterized(Fault.two))
                #expect(seen.all == ["promise", "guarantee", "empty", "two"])
            }
        }

        @Test("of the log receives what the app logs itself as it was, and prints it as the name of the event")
        func logged() async {
            await #expect(processExitsWith: .success) {
                let seen = Recorder<String>()
                conf.logHandler = { seen.append("\($0)") }
                conf.logHandler(.waitOnMainThread)
                conf.logHandler(.pendingPromiseDeallocated)
                conf.logHandler(.pendingGuaranteeDeallocated)
                conf.logHandler(.cauterized(Fault.one))
                #expect(seen.all.count == 4)
                #expect(
                    seen.all.prefix(3) == [
                        "waitOnMainThread", "pendingPromiseDeallocated", "pendingGuaranteeDeallocated",
                    ])
                #expect(seen.all.last?.hasPrefix("cauterized") == true)
            }
        }
    #endif
}

extension Thenable {
    /// Waits until it has settled, one way or the other.
    func end() async { _ = try? await _promise.async() }
}

extension Thenable where T == Bool {
    fileprivate func isTrue() async -> Bool { (try? await _promise.async()) == true }
}
