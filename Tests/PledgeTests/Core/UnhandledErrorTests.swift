import Dispatch
import Foundation
import Pledge
import PledgeTestSupport
import Testing

@Suite("An unhandled error")
struct UnhandledErrorTests {
    private let log = LogCapture.shared

    /// The types of the promises that were reported with the error, once that can no longer change.
    private func reports(of fault: Fault) async -> [String] {
        await DefaultExecutor.drain()
        return log.unhandled(fault)
    }

    @Test("is reported once, with the type of the promise", arguments: 1...3)
    func reported(hops: Int) async throws {
        let fault = Fault("unhandled-\(#line)-\(hops)")
        drop(Promise<Int>(error: fault), hops)
        #expect(await reports(of: fault) == ["Promise<Int>"])
        let line = try #require(log.lines(containing: fault.name).first)
        #expect(line.hasPrefix("A rejected Promise<Int>"))
        #expect(line.hasSuffix("was deallocated before anything handled its error: \(fault)"))
    }

    static let beginnings: [@Sendable (Fault) -> (end: Promise<Int>, line: Int)] = [
        { (Promise<Int>(error: $0), #line) }, { fault in (Promise { $0.reject(fault) }, #line) },
        { fault in (Promise { () async throws -> Int in throw fault }.tap { _ in }.ensure {}, #line) },
        { fault in (Promise<Int>(error: fault).timeout(seconds: 1).get { _ in }, #line) },
        { fault in (when(fulfilled: Promise.value(1), Promise<Int>(error: fault)).map { $0.0 }, #line) },
        { fault in (Promise(Promise<Int>(error: fault)).shared(), #line) },
    ]

    @Test("names where its chain began, in a debug build", arguments: beginnings)
    func place(begin: @Sendable (Fault) -> (end: Promise<Int>, line: Int)) async {
        let fault = Fault("unhandled-\(#line)-\(UUID())")
        let line = await drop(begin(fault))
        let place = ", whose chain began at PledgeTests/UnhandledErrorTests.swift:\(line), was deallocated"
        #if DEBUG
            #expect(log.lines(containing: fault.name).allSatisfy { $0.contains(place) })
        #endif
        #expect(log.lines(containing: fault.name).count == 1)
    }

    /// Waits for a promise without handling its error, and releases it.
    private func drop(_ made: (end: Promise<Int>, line: Int)) async -> Int {
        while made.end.isPending { await DefaultExecutor.drain() }
        return made.line
    }

    private func drop(_ promise: Promise<Int>, _ hops: Int) {
        var end = promise
        for _ in 0..<hops { end = end.map { $0 + 1 } }
    }

    @Test("is reported if it was thrown by the last closure of a chain")
    func thrownAtTheEnd() async {
        let fault = Fault("unhandled-\(#line)")
        _ = Promise.value(1).done { _ in throw fault }
        #expect(await reports(of: fault) == ["Promise<()>"])
    }

    @Test("is reported if only a finally follows")
    func onlyFinally() async {
        let fault = Fault("unhandled-\(#line)")
        Promise<Void>(error: fault).finally {}
        #expect(await reports(of: fault).count == 1)
    }

    @Test("is reported once for each end of a branched chain")
    func split() async {
        let fault = Fault("unhandled-\(#line)")
        let trunk = Promise<Int>(error: fault)
        _ = trunk.map { $0 + 1 }
        _ = trunk.map { "\($0)" }
        await DefaultExecutor.drain()
        #expect(Set(log.unhandled(fault)) == ["Promise<Int>", "Promise<String>"])
    }

    @Test("is reported if the only catch is for other errors")
    func wrongCatch() async {
        let fault = Fault("unhandled-\(#line)")
        _ = Promise<Int>(error: fault).catch(only: OtherFault.self) { Issue.record($0) }
        #expect(await reports(of: fault).count == 1)
    }

    @Test("is not reported while the promise exists")
    func stillThere() async {
        let fault = Fault("unhandled-\(#line)")
        let promise = Promise<Int>(error: fault)
        #expect(await reports(of: fault).isEmpty)
        withExtendedLifetime(promise) {}
    }

    @Test(
        "is not reported if it is cancellation",
        arguments: [PromiseError.cancelled, CancellationError()] as [any Error])
    func cancellation(error: any Error) async {
        _ = Promise<String>(error: error).map(\.count)
        let source = Source(Character.self)
        source.promise.map { [$0] }.cancel()
        await DefaultExecutor.drain()
        #expect(log.lines(containing: "Promise<Array<Character>>").isEmpty)
        // Not in a race's error, which quotes those of its promises.
        #expect(log.lines(containing: "its error: \(PromiseError.cancelled)").isEmpty)
        #expect(log.lines(containing: "CancellationError").isEmpty)
    }

    @Test("is not reported if it was handled in any way", arguments: 0..<11)
    func handled(way: Int) async {
        let fault = Fault("handled-\(#line)-\(way)")
        look(at: Promise<Int>(error: fault), way)
        #expect(await reports(of: fault).isEmpty)
    }

    @Test("is not reported if it was handled by whoever waited for it", arguments: [0, 1, 2, 3, 4, 7, 8])
    func handledLater(way: Int) async {
        let fault = Fault("handled-\(#line)-\(way)")
        rejectLater(fault, way)
        #expect(await reports(of: fault).isEmpty)
    }

    /// A function of its own, so that the promise is released.
    private func rejectLater(_ fault: Fault, _ way: Int) {
        let source = Source(Int.self)
        look(at: source.promise, way)
        source.seal.reject(fault)
    }

    private func look(at promise: Promise<Int>, _ way: Int) {
        switch way {
        case 0: promise.catch { _ in }
        case 1: _ = promise.recover { _ in Promise.value(1) }
        case 2: _ = promise.recover { _ in Guarantee.value(1) }
        case 3: promise.cauterize()
        case 4: promise.pipe { _ in }
        case 5: _ = promise.result
        case 6: _ = promise.error
        case 7: _ = when(resolved: promise)
        case 8: _ = promise.asVoid().catch(only: Fault.self) { _ in }
        case 9: _ = try? promise.wait()
        default: _ = race(fulfilled: promise, Promise.value(1))
        }
    }

    @Test("is not reported for inputs that a rejected when ignores")
    func whenLosers() async {
        let (first, second) = (Fault("unhandled-\(#line)-a"), Fault("unhandled-\(#line)-b"))
        when(fulfilled: [Promise<Int>(error: first), Promise<Int>(error: second)]).catch { _ in }
        #expect(await reports(of: first).isEmpty)
        #expect(log.unhandled(second).isEmpty)
    }

    @Test("is not reported if its dependent was canceled")
    func dependentCancelled() async {
        let fault = Fault("unhandled-\(#line)")
        let source = Source(Int.self)
        source.promise.pipe { _ in }
        source.promise.map { $0 }.cancel()
        source.seal.reject(fault)
        #expect(await reports(of: fault).isEmpty)
    }

    @Test("is reported even if a wait for the promise timed out")
    func waitGaveUp() async {
        let fault = Fault("unhandled-\(#line)")
        do {
            let source = Source(Int.self)
            #expect(throws: PromiseError.timedOut(seconds: 0)) { try source.promise.wait(timeout: 0) }
            source.seal.reject(fault)
        }
        #expect(log.unhandled(fault) == ["Promise<Int>"])
    }

    static let losses: [@Sendable (Promise<Int>) -> Void] = [
        { race($0, Promise.value(1)).catch { _ in } }, { race(Promise.value(1), $0).catch { _ in } },
        { race(fulfilled: Promise(error: Fault.one), Promise.value(1), $0).catch { _ in } },
        { when(fulfilled: $0, Promise.value(1)).cancel() },
        {
            // Not reached by the cancel.
            $0.shared().cancel()
            when(resolved: $0, Promise.value(1)).cancel()
        },
    ]

    @Test("is not reported if the promise has lost a race, or belonged to a join that was canceled", arguments: losses)
    func lost(joins: @Sendable (Promise<Int>) -> Void) async {
        let fault = Fault("unhandled-\(#line)-\(UUID())")
        do {
            let source = Source(Int.self)
            joins(source.promise)
            source.seal.reject(fault)
        }
        #expect(await reports(of: fault).isEmpty)
    }

    @Test("is not reported if a then returned it that was canceled meanwhile")
    func returnedTooLate() async {
        let fault = Fault("unhandled-\(#line)")
        let queue = DispatchQueue(label: "canceled")
        let (hasBegun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let promise = Promise.value(1).then(on: queue) { _ -> Promise<Int> in
            hasBegun.signal()
            mayEnd.wait()
            return Promise(error: fault)
        }
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                hasBegun.wait()
                promise.cancel()
                mayEnd.signal()
                queue.sync {}
                continuation.resume()
            }
        }
        #expect(log.unhandled(fault).isEmpty)
    }
}
