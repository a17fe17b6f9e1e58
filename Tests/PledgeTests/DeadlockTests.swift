import Dispatch
import Foundation
import Pledge
import PledgeTestSupport
import Testing

@Suite("A wait in a handler on the default or main queue")
struct DeadlockTests {
    /// Runs a closure in a place where it may not wait, and returns a promise for what the closure returns or throws.
    typealias Runner = @Sendable (@escaping @Sendable () throws -> Int) -> Promise<Int>

    // Three runners use the default queue: a handler, a `sync` call inside a handler, and a block on a queue that targets the
    // default queue. Three use the main queue: a handler, a block, and a handler on a queue that targets the main queue.
    static let runners: [Runner] = [
        { body in Promise().map { try body() } },
        { body in Promise().map { try DispatchQueue(label: "below").sync(execute: body) } },
        { body in DispatchQueue(label: "aimed", target: .pledge).async(.promise, execute: body) },
        { body in Promise().map(on: .main) { try body() } },
        { body in DispatchQueue.main.async(.promise, execute: body) },
        { body in Promise().map(on: DispatchQueue(label: "aimed", target: .main)) { try body() } },
        // Two runners use closures that are not handlers, but are called on the default queue.
        { body in when(fulfilled: [1], concurrently: 1) { _ in Promise.value(try body()) }.firstValue },
        { body in
            let attempts = Counter()
            return retry(attempts: 2) {
                attempts.next() == 1 ? Promise(error: Fault.one) : Promise.value(try body())
            }
        },
    ]

    @Test(
        "wait() in a handler on the default or main queue throws an error with the call's file and line and a way out",
        arguments: runners.indices)
    func throwing(_ index: Int) async throws {
        let source = Source(Int.self)
        let (line, waiting) = (UInt(#line), Self.runners[index]({ try source.promise.wait() }))
        let error = await thrown(PromiseError.self) { try await waiting.value }
        #expect(error == .deadlock(file: #fileID, line: line) && source.promise.isPending)
        let words = try #require(error?.description)
        #expect(words.hasPrefix("The wait() at \(#fileID):\(line) might never return"))
        #expect(words.hasSuffix("Return the promise from a then closure, or give the handler another queue with on:."))
    }

    @Test(
        "wait() in a handler on the default or main queue returns if the promise is settled or a time limit is given",
        arguments: runners.indices)
    func settled(_ index: Int) async throws {
        let (source, seal) = Promise<Int>.pending()
        let waiting = Self.runners[index]({
            Thread.detachNewThread { seal.fulfill(1) }
            return try source.wait(timeout: 3600) + Promise.value(1).wait()
        })
        #expect(try await waiting.value == 2)
    }

    @Test("After a handler on the main queue has returned, other code on the main thread may wait")
    func after() async throws {
        let queue = DispatchQueue(label: "after", target: .main)
        try await Promise().done(on: .main) {}.value
        let (source, seal) = Promise<Int>.pending()
        // This block is not a handler. Pledge cannot know whether the main queue has handlers to run, so it lets the block wait.
        let waiting = Promise<Int> { resolver in
            queue.async {
                Thread.detachNewThread { seal.fulfill(1) }
                do { resolver.fulfill(try source.wait()) } catch { resolver.reject(error) }
            }
        }
        #expect(try await waiting.value == 1)
    }
}
