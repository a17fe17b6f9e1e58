import Dispatch
import Foundation
import Pledge
import PledgeTestSupport
import Testing

@Suite("A wait in a handler on the default or main queue")
struct DeadlockTests {
    /// What runs a closure where it may not wait: a promise for what the closure threw.
    typealias Runner = @Sendable (@escaping @Sendable () throws -> Int) -> Promise<Int>

    // The default queue, below a sync in one, and a queue that targets it; the main queue, and one that targets that.
    static let runners: [Runner] = [
        { body in Promise().map { try body() } },
        { body in Promise().map { try DispatchQueue(label: "below").sync(execute: body) } },
        { body in DispatchQueue(label: "aimed", target: .pledge).async(.promise, execute: body) },
        { body in Promise().map(on: .main) { try body() } },
        { body in DispatchQueue.main.async(.promise, execute: body) },
        { body in Promise().map(on: DispatchQueue(label: "aimed", target: .main)) { try body() } },
        // What the default queue calls.
        { body in when(fulfilled: [1], concurrently: 1) { _ in Promise.value(try body()) }.firstValue },
        { body in
            let attempts = Counter()
            return retry(attempts: 2) {
                attempts.next() == 1 ? Promise(error: Fault.one) : Promise.value(try body())
            }
        },
    ]

    @Test("throws, and names its file and line in a sentence that says what to do instead", arguments: runners.indices)
    func throwing(_ index: Int) async throws {
        let source = Source(Int.self)
        let (line, waiting) = (UInt(#line), Self.runners[index]({ try source.promise.wait() }))
        let error = await thrown(PromiseError.self) { try await waiting.value }
        #expect(error == .deadlock(file: #fileID, line: line) && source.promise.isPending)
        let words = try #require(error?.description)
        #expect(words.hasPrefix("The wait() at \(#fileID):\(line) might never return"))
        #expect(words.hasSuffix("Return the promise from a then closure, or give the handler another queue with on:."))
    }

    @Test("returns if the promise has settled, or settles within a time limit", arguments: runners.indices)
    func settled(_ index: Int) async throws {
        let (source, seal) = Promise<Int>.pending()
        let waiting = Self.runners[index]({
            Thread.detachNewThread { seal.fulfill(1) }
            return try source.wait(timeout: 3600) + Promise.value(1).wait()
        })
        #expect(try await waiting.value == 2)
    }

    @Test("no longer throws on that thread once the handler has ended")
    func after() async throws {
        let queue = DispatchQueue(label: "after", target: .main)
        try await Promise().done(on: .main) {}.value
        let (source, seal) = Promise<Int>.pending()
        // Not a handler, so it is not known what else the main queue has to do.
        let waiting = Promise<Int> { resolver in
            queue.async {
                Thread.detachNewThread { seal.fulfill(1) }
                do { resolver.fulfill(try source.wait()) } catch { resolver.reject(error) }
            }
        }
        #expect(try await waiting.value == 1)
    }
}
