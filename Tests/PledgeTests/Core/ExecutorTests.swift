@preconcurrency import Dispatch  // Before 6.2, `DispatchSpecificKey` is not Sendable.
import Foundation
import Pledge
import PledgeTestSupport
import Testing

@Suite("The default executor")
struct ExecutorTests {
    private let events = Recorder<String>()

    @Test("alternates between the steps of two chains")
    func interleaves() async {
        let gate = ExecutorGate()
        for name in ["a", "b"] {
            Promise()
                .done { [events] in events.append("\(name)1") }
                .done { [events] in events.append("\(name)2") }
                .done { [events] in events.append("\(name)3") }
                .cauterize()
        }
        gate.open()
        await DefaultExecutor.drain()
        #expect(events.all == ["a1", "b1", "a2", "b2", "a3", "b3"])
    }

    @Test("keeps the order in which a handler and other threads make handlers runnable")
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

    @Test("is not the main queue")
    func notMain() async throws {
        let main = MarkedQueue(marking: .main)
        #expect(try await Promise().map { !main.isCurrent }.value)
    }

    @Test("passes values on past a recover, without using its queue")
    func valuePassesQueue() async throws {
        let marked = MarkedQueue()
        marked.queue.suspend()
        let recovered = Promise.value(1).recover(on: marked.queue) { _ in Promise.value(2) }
        #expect(try await recovered.value == 1)
        let certain = Promise.value(1).recover(on: marked.queue) { _ in Guarantee.value(2) }
        #expect(await certain.value == 1)
        marked.queue.resume()
    }

    @Test("can be named as a queue")
    func byName() async throws {
        let work = DispatchQueue.pledge.async(.promise) { () throws -> Bool in DefaultExecutor.isCurrent }
        #expect(try await work.value)
    }
}
