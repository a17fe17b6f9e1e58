import Foundation
import PledgeTestSupport
import Testing

@testable import Pledge

@Suite("An unhandled error")
struct UnhandledErrorTests {
    private let log = LogCapture.shared

    /// Waits until all reports have been made, and returns the types of the promises that were reported with the error.
    private func reports(of fault: Fault) async -> [String] {
        await DefaultExecutor.drain()
        return log.unhandled(fault)
    }

    static let ignored: [(types: [String], fail: @Sendable (Fault) -> Void)] = [
        (["Promise<Int>"], { _ = Promise<Int>(error: $0) }),
        (["Promise<Int>"], { _ = Promise<Int>(error: $0).map { $0 + 1 }.map { $0 + 1 } }),
        // Three chains that end with an unhandled error. The first ends with a closure that throws, the second with a finally,
        // and the third with a catch for other errors.
        (["Promise<()>"], { fault in _ = Promise.value(1).done { _ in throw fault } }),
        (["Promise<()>"], { Promise<Void>(error: $0).finally {} }),
        (["Promise<()>"], { _ = Promise<Int>(error: $0).catch(only: OtherFault.self) { Issue.record($0) } }),
        (
            ["Promise<Int>", "Promise<String>"],
            { fault in
                let trunk = Promise<Int>(error: fault)
                _ = (trunk.map { $0 + 1 }, trunk.map { "\($0)" })
            }
        ),
    ]

    @Test(
        "An unhandled error is reported once for each end of its chain, with the type of the promise there",
        arguments: ignored.indices)
    func reported(_ index: Int) async {
        let fault = Fault("unhandled-\(#line)-\(index)")
        Self.ignored[index].fail(fault)
        #expect(await reports(of: fault).sorted() == Self.ignored[index].types)
        #expect(
            log.lines(containing: fault.name).allSatisfy {
                $0.hasPrefix("A rejected Promise<")
                    && $0.hasSuffix("was deallocated before anything handled its error: \(fault)")
            })
    }

    static let beginnings: [@Sendable (Fault) -> (end: Promise<Int>, line: Int)] = [
        { (Promise<Int>(error: $0), #line) }, { fault in (Promise { $0.reject(fault) }, #line) },
        { fault in (Promise { () async throws -> Int in throw fault }.tap { _ in }.ensure {}, #line) },
        { fault in (Promise<Int>(error: fault).timeout(seconds: 1).get { _ in }, #line) },
        { fault in (when(fulfilled: Promise.value(1), Promise<Int>(error: fault)).map { $0.0 }, #line) },
        { fault in (Promise(Promise<Int>(error: fault)).shared(), #line) },
    ]

    @Test(
        "In a debug build, the report of an unhandled error names the place where its chain began",
        arguments: beginnings)
    func place(begin: @Sendable (Fault) -> (end: Promise<Int>, line: Int)) async {
        let fault = Fault("unhandled-\(#line)-\(UUID())")
        let line = await drop(begin(fault))
        let place = ", whose chain began at PledgeTests/UnhandledErrorTests.swift:\(line), was deallocated"
        #if DEBUG
            #expect(log.lines(containing: fault.name).allSatisfy { $0.contains(place) })
        #endif
        #expect(log.lines(containing: fault.name).count == 1)
    }

    /// Waits for a promise without handling its error, and releases the promise.
    private func drop(_ made: (end: Promise<Int>, line: Int)) async -> Int {
        await Wait.until { !made.end.isPending }
        return made.line
    }

    #if DEBUG
        @Test("The report of an unhandled error names only files of the caller, and none of this package's libraries")
        func ownFiles() async throws {
            let manifest = try String(contentsOf: Repository.file("Package.swift"), encoding: .utf8)
            let products = manifest.matches(of: /\.library\(name: "(\w+)"/).map { String($0.1) }
            // The library PledgeSandbox creates no promises.
            #expect(products.filter { $0 != "PledgeSandbox" }.sorted() == PromiseStorage.libraries.sorted())
            let fault = Fault("unhandled-\(#line)-\(UUID())")
            _ = Promise<Int>(error: fault, file: "ExistKit/Account.swift", line: 1).map { $0 }
            #expect(await reports(of: fault).count == 1)
            #expect(!"\(log.lines(containing: fault.name))".contains("chain began"))
            _ = Promise<Int> { $0.follow(Promise(error: fault, file: "PledgeHTTP/Client/Call.swift", line: 1)) }
            #expect(await reports(of: fault).count == 2)
            #expect("\(log.lines(containing: fault.name))".contains("chain began at PledgeTests/"))
        }
    #endif

    @Test(
        "A cancellation is not reported as an unhandled error",
        arguments: [PromiseError.cancelled, CancellationError()] as [any Error])
    func cancellation(error: any Error) async {
        _ = Promise<String>(error: error).map(\.count)
        let source = Source(Character.self)
        source.promise.map { [$0] }.cancel()
        await DefaultExecutor.drain()
        #expect(log.lines(containing: "Promise<Array<Character>>").isEmpty)
        // In the report of an unhandled error, the words “its error: ” precede the error. A search for the error alone would also
        // find the report of a race's error, which quotes the errors of the race's promises. Another test may cause such a report.
        #expect(log.lines(containing: "its error: \(PromiseError.cancelled)").isEmpty)
        #expect(log.lines(containing: "CancellationError").isEmpty)
    }

    /// Ways to handle an error, whether the promise has been rejected already or will be rejected later.
    static let ways: [@Sendable (Promise<Int>) -> Void] = [
        { $0.catch { _ in } }, { _ = $0.recover { _ in Promise.value(1) } },
        { _ = $0.recover { _ in Guarantee.value(1) } }, { $0.cauterize() }, { $0.pipe { _ in } },
        { _ = when(resolved: $0) }, { _ = $0.asVoid().catch(only: Fault.self) { _ in } },
        { _ = race(fulfilled: $0, Promise.value(1)) },
        { when(fulfilled: [Promise(error: Fault.one), $0]).catch { _ in } },
    ]
    static let looks: [@Sendable (Promise<Int>) -> Void] = [
        { _ = $0.result }, { _ = $0.error }, { _ = try? $0.wait() },
    ]

    static let losses: [@Sendable (Promise<Int>) -> Void] = [
        { race($0, Promise.value(1)).catch { _ in } }, { race(Promise.value(1), $0).catch { _ in } },
        { race(fulfilled: Promise(error: Fault.one), Promise.value(1), $0).catch { _ in } },
        { when(fulfilled: $0, Promise.value(1)).cancel() },
        {
            // The first cancel does not reach the promise itself, because `shared` stops it.
            $0.shared().cancel()
            when(resolved: $0, Promise.value(1)).cancel()
        },
    ]

    static let handlings = (ways + looks).map { ($0, isLate: false) } + (ways + losses).map { ($0, isLate: true) }

    @Test(
        "An error isn't reported if it was handled, read, or awaited, or if its promise lost a race or was canceled",
        arguments: handlings)
    func handled(handle: @Sendable (Promise<Int>) -> Void, isLate: Bool) async {
        let fault = Fault("handled-\(#line)-\(UUID())")
        do {
            let source = Source(Int.self)
            if !isLate { source.seal.reject(fault) }
            handle(source.promise)
            source.seal.reject(fault)
        }
        #expect(await reports(of: fault).isEmpty)
    }

    @Test("The error of a promise that a `then` closure returns isn't reported if that `then` was canceled before")
    func returnedTooLate() async {
        let fault = Fault("unhandled-\(#line)")
        let (itself, gate) = (Locked<Promise<Int>?>(nil), ExecutorGate())
        let promise = Promise.value(1).then { _ -> Promise<Int> in
            itself.withLock { $0.take() }?.cancel()
            return Promise(error: fault)
        }
        itself.withLock { $0 = promise }
        gate.open()
        #expect(await reports(of: fault).isEmpty)
    }
}
