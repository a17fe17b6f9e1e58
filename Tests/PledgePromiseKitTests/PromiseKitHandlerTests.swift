import Dispatch
@_spi(PromiseKit) import PledgePromiseKit
import PledgeTestSupport
import Testing

@Suite("A handler written for PromiseKit")
struct PromiseKitHandlerTests {
    private let main = MarkedQueue(marking: .main)
    private let seen = Recorder<String>()

    /// Records what a handler received on the main queue.
    @Sendable private func note<T>(_ received: Any, _ result: T = ()) -> T {
        seen.append(main.isCurrent ? "\(received)" : "elsewhere")
        return result
    }

    @Test("In code for PromiseKit, a handler of a promise runs on the main queue if it names no queue")
    func promises() async {
        let (value, list) = (Promise.value(1), Promise.value([1]))
        let ends: [any Thenable] = [
            value.then { Promise.value(note($0)) }, value.map { note($0) }, value.compactMap { Optional(note($0)) },
            value.done { note($0) }, value.get { note($0) }, value.tap { note($0.isFulfilled ? 1 : 0) },
            value.ensure { note(1) }, value.ensureThen { Guarantee.value(note(1)) }, list.mapValues { note($0) },
            list.flatMapValues { [note($0)] }, list.compactMapValues { Optional(note($0)) },
            list.thenMap { Promise.value(note($0)) }, list.thenFlatMap { Promise.value([note($0)]) },
            list.filterValues { note($0, true) }, list.firstValue { note($0, true) },
        ]
        for end in ends { await end.end() }
        #expect(seen.all == Array(repeating: "1", count: 15))
    }

    @Test("In code for PromiseKit, a handler of an error runs on the main queue if it names no queue")
    func errors() async {
        let (failed, nothing) = (Promise<Int>(error: Fault.one), Promise<Void>(error: Fault.one))
        let ends: [any Thenable] = [
            failed.catch { note($0) }, failed.catch(only: Fault.self) { note($0) },
            failed.catch(only: Fault.one) { note($0) }, failed.recover { Promise.value(note($0, 1)) },
            failed.recover { Guarantee.value(note($0, 1)) },
            failed.recover(only: Fault.self) { Promise.value(note($0, 1)) },
            failed.recover(only: Fault.one) { Promise.value(note($0, 1)) }, nothing.recover { note($0) },
            nothing.recover { if $0 is Fault { note($0) } else { throw $0 } },
            nothing.recover(only: Fault.self) { note($0) }, nothing.recover(only: Fault.one) { note($0) },
        ]
        for end in ends { await end.end() }
        let end = Promise<Void>.pending()
        nothing.catch { _ in }.finally {
            note("one")
            end.resolver.fulfill()
        }
        await end.promise.end()
        #expect(seen.all == Array(repeating: "one", count: 12))
    }

    @Test("In code for PromiseKit, a guarantee's handler without a queue runs on the main queue and makes a guarantee")
    func guarantees() async {
        let (value, list) = (Guarantee.value(1), Guarantee.value([1]))
        let ends: [Guarantee<Void>] = [
            value.then { Guarantee.value(note($0)) }, value.map { note($0) }, value.done { note($0) },
            value.get { note($0) }.asVoid(), list.mapValues { note($0) }.asVoid(),
            list.flatMapValues { [note($0)] }.asVoid(), list.compactMapValues { Optional(note($0)) }.asVoid(),
            list.thenMap { Guarantee.value(note($0)) }.asVoid(), list.filterValues { note($0, true) }.asVoid(),
            list.thenFlatMap { Guarantee.value([note($0)]) }.asVoid(),
        ]
        for end in ends { await end.async() }
        #expect(seen.all == Array(repeating: "1", count: 10))
    }

    @Test("In code for PromiseKit, a handler for one type of error takes its turn among the others")
    func inOrder() async {
        let (source, seal) = Promise<Int>.pending()
        let seen = Recorder<String>()
        let queue = MarkedQueue()
        let first = source.catch(only: PMKError.self, on: queue.queue) { _ in seen.append("type") }
        let second = source.recover(only: PMKError.self, on: queue.queue) { _ in
            seen.append("recover")
            return Promise.value(1)
        }
        let third = source.catch(on: queue.queue) { _ in seen.append("any") }
        seal.reject(PromiseError.emptySequence)
        for end in [first, second.asVoid(), third] { await end.end() }
        #expect(seen.all == ["type", "recover", "any"])
    }

    @Test("In code for PromiseKit, a handler runs on the queue that it names")
    func named() async {
        let queue = MarkedQueue()
        #expect(await Promise.value(1).map(on: queue.queue) { _ in queue.isCurrent }.isTrue())
        #expect(await Promise.value(1).map(on: queue.queue, flags: .barrier) { _ in queue.isCurrent }.isTrue())
        #expect(await Guarantee.value(1).map(on: queue.queue) { _ in queue.isCurrent }.async())
    }

    #if compiler(>=6.2) && (os(macOS) || os(Linux) || os(Windows) || os(FreeBSD))
        // The configuration applies to the whole process, so each of these tests runs in a process of its own.

        @Test("In code for PromiseKit, handlers take their queue and their catch policy from `conf`")
        func configured() async {
            await #expect(processExitsWith: .success) {
                // Compares labels, because DispatchQueue.main returns a different object each time on Linux.
                let (middle, end, main) = (MarkedQueue("map"), MarkedQueue("return"), DispatchQueue.main.label)
                #expect(conf.Q.map?.label == main && conf.Q.return?.label == main)
                conf.Q.map = middle.queue
                #expect(conf.Q.map === middle.queue && conf.Q.return?.label == main)
                conf.Q = (map: middle.queue, return: end.queue)
                #expect(PromiseConfiguration.shared.queues.map === middle.queue)
                #expect(await Promise.value(1).map { _ in middle.isCurrent }.isTrue())
                let seen = Recorder<Bool>()
                await Promise.value(1).done { _ in seen.append(end.isCurrent) }.end()
                // As in PromiseKit, `get` is the only handler in the middle of a chain that runs there.
                await Promise.value(1).get { _ in seen.append(end.isCurrent) }.end()
                await Guarantee.value(1).get { _ in seen.append(end.isCurrent) }.asVoid().async()
                conf.Q = (map: nil, return: nil)
                Promise.value(1).done { _ in seen.append(true) }.cauterize()
                conf.catchPolicy = .allErrors
                let copy: PMKConfiguration = conf
                #expect(copy.Q.map == nil && copy.Q.return == nil && copy.catchPolicy == .allErrors)
                #expect(PromiseConfiguration.shared.catchPolicy == .allErrors)
                let cancelled = Promise<Int>(error: PMKError.cancelled)
                cancelled.catch { seen.append($0.isCancelled) }
                #expect(seen.all == [true, true, true, true, true])
                let value = try await cancelled.recover { _ in Promise.value(1) }.async()
                #expect(value == 1)
            }
        }

        @Test("conf.logHandler receives PromiseKit's events and those that the app logs itself, each under its name")
        func log() async {
            await #expect(processExitsWith: .success) {
                let seen = Recorder<String>()
                conf.logHandler = { event in
                    if case .cauterized(let error) = event, isSame(error, .emptySequence) { seen.append("empty") }
                    seen.append("\(event)")
                }
                _ = Promise<Int> { _ in }
                _ = Guarantee<Int> { _ in }
                await Promise.value([Int]()).firstValue.cauterize().end()
                conf.logHandler(.waitOnMainThread)
                conf.logHandler(.pendingPromiseDeallocated)
                conf.logHandler(.pendingGuaranteeDeallocated)
                conf.logHandler(.cauterized(Fault.two))
                let names = seen.all.map { $0.split(separator: "(")[0] }
                #expect(
                    names == [
                        "pendingPromiseDeallocated", "pendingGuaranteeDeallocated", "empty", "cauterized",
                        "waitOnMainThread", "pendingPromiseDeallocated", "pendingGuaranteeDeallocated", "cauterized",
                    ])
                #expect(seen.all.last?.contains("two") == true)
            }
        }
    #endif
}

extension Thenable {
    /// Waits until the promise or guarantee has settled, with any outcome.
    func end() async { _ = try? await _promise.async() }
}

extension Thenable where T == Bool {
    fileprivate func isTrue() async -> Bool { (try? await _promise.async()) == true }
}
