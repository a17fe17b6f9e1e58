@preconcurrency import Dispatch  // Before 6.2, `DispatchSpecificKey` is not Sendable.
import Foundation
import Pledge
import PledgeTestSupport
import Testing

@Suite("Handlers on the default queue")
struct ExecutorTests {
    private let events = Recorder<String>()

    @Test(
        "The default queue runs handlers in the order in which they became due, even if several threads settle promises"
    )
    func otherThreads() async {
        let sources = (0..<6).map { _ in Source(Int.self) }
        for (number, source) in sources.enumerated() {
            source.promise.done { [events] _ in events.append("\(number)") }.cauterize()
        }
        _ = await Promise().done {
            sources[0].seal.fulfill(0)
            for number in stride(from: 1, to: 5, by: 2) {
                let isDone = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    sources[number].seal.fulfill(0)
                    isDone.signal()
                }
                isDone.wait()
                sources[number + 1].seal.fulfill(0)
            }
            DispatchQueue(label: "inside").sync { sources[5].seal.fulfill(0) }
        }.outcome()
        await DefaultExecutor.drain()
        #expect(events.all == ["0", "1", "2", "3", "4", "5"])
    }

    @Test("The default queue is not the main queue, and is available as DispatchQueue.pledge")
    func notMain() async throws {
        let main = MarkedQueue(marking: .main)
        #expect(try await Promise().map { !main.isCurrent }.value)
        let work = DispatchQueue.pledge.async(.promise) { () throws -> Bool in DefaultExecutor.isCurrent }
        #expect(try await work.value)
    }

    @Test(
        "Only a handler's closure needs its queue; values, errors, and promises are passed on without the queue")
    func queueless() async throws {
        let marked = MarkedQueue()
        let (inner, seal) = Promise<Int>.pending()
        let adopting = Promise().then(on: marked.queue) { inner }
        await DefaultExecutor.drain()
        await marked.drain()
        marked.queue.suspend()
        seal.fulfill(3)
        #expect(try await adopting.value == 3)
        #expect(try await Promise.value(1).recover(on: marked.queue) { _ in Promise.value(2) }.value == 1)
        #expect(await Promise.value(1).recover(on: marked.queue) { _ in Guarantee.value(2) }.value == 1)
        let failed = Promise<Int>(error: Fault.one).map(on: marked.queue) { $0 }
        await #expect(throws: Fault.one) { try await failed.then(on: marked.queue) { Promise.value($0) }.value }
        marked.queue.resume()
    }
}
