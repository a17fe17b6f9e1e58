import Dispatch
import Foundation
import PledgeTestSupport
import Testing

@testable import Pledge

/// The numbered sentences of the article "Where handlers run", each with its test.
@Suite("The guarantees about order")
struct OrderTests {
    private let events = Recorder<String>()

    // A queue that is a new object at each access, as `main` and `global()` are on Linux, but the same queue.
    private static let concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)

    #if compiler(>=6.2)
        @Test(
            "1: handlers of a promise on one serial queue run in the order in which they were added, whatever names it")
        func sameQueue() async {
            await #expect(processExitsWith: .success) {
                // The setting of the README. A process of its own, whose main queue nothing else uses.
                PromiseConfiguration.shared.queues = (map: .main, return: .main)
                let order = Recorder<Int>()
                let source = Source(Int.self)
                source.promise.map { _ in order.append(1) }.cauterize()
                source.promise.done { _ in order.append(2) }.cauterize()
                source.promise.map { _ in order.append(3) }.cauterize()
                let last = source.promise.map(on: .main, flags: .assignCurrentContext) { _ in order.append(4) }
                source.seal.fulfill(0)
                try? await last.value
                #expect(order.all == [1, 2, 3, 4])
            }
        }
    #endif

    @Test("2: a concurrent queue stays concurrent: a handler may wait for another of the same promise")
    func concurrentSiblings() async {
        let source = Source(Int.self)
        let (one, other) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let promises = [
            source.promise.done(on: Self.concurrent) { [events] _ in
                other.signal()
                if one.wait(timeout: .now() + 900) == .timedOut { events.append("first") }
            },
            source.promise.done(on: Self.concurrent) { [events] _ in
                one.signal()
                if other.wait(timeout: .now() + 900) == .timedOut { events.append("second") }
            },
        ]
        source.seal.fulfill(1)
        _ = await when(resolved: promises).value
        #expect(events.all.isEmpty)
    }

    @Test(
        "3: when fulfill or cancel returns, every handler for a queue has been submitted, even inside a closure or a hook",
        arguments: [true, false])
    func sentAtOnce(isCancel: Bool) {
        let (outer, inner) = (Source(Int.self), Source(Int.self))
        let marked = MarkedQueue()
        for number in 1...2 {
            inner.promise.tap(on: marked.queue) { [events] _ in events.append("\(number)") }.cauterize()
        }
        @Sendable func settleInner() {
            if isCancel { inner.promise.cancel() } else { inner.seal.fulfill(1) }
            // A deadlock if they were sent only when this function has returned.
            marked.queue.sync {}
            events.append("closure")
        }
        if isCancel { outer.seal.onCancel(settleInner) } else { outer.promise.pipe { _ in settleInner() } }
        if isCancel { outer.promise.cancel() } else { outer.seal.fulfill(1) }
        #expect(events.all == ["1", "2", "closure"])
    }

    @Test("4: a handler with a queue never runs inside the call that adds it, nor inside the one that settles")
    func neverInside() async {
        let marked = MarkedQueue()
        await withCheckedContinuation { continuation in
            marked.queue.async { [events] in
                let source = Source(Int.self)
                let added = source.promise.map(on: marked.queue) { _ in events.append("handler") }
                source.seal.fulfill(1)
                _ = source.promise.map(on: marked.queue) { _ in events.append("late") }
                events.append("caller")
                added.pipe { _ in continuation.resume() }
            }
        }
        await marked.drain()
        #expect(events.all == ["caller", "handler", "late"])
    }

    @Test("5: inline handlers run in order on the settling thread, and one added meanwhile elsewhere runs after them")
    func inlineOrder() {
        let source = Source(Int.self)
        let (hasBegun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        source.promise.pipe { [events] _ in
            hasBegun.signal()
            mayEnd.wait()
            events.append("1")
        }
        source.promise.pipe { [events] _ in events.append("2") }
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            source.seal.fulfill(1)
            isDone.signal()
        }
        hasBegun.wait()
        source.promise.pipe { [events] _ in events.append("3") }
        mayEnd.signal()
        isDone.wait()
        #expect(events.all == ["1", "2", "3"])
    }

    @Test(
        "6: what is chained onto a settled promise inside an inline closure or a hook is settled when the call returns")
    func settledInside() {
        @Sendable func check() {
            events.append("\(Promise.value(1).asVoid().isPending)")
            events.append("\(Promise.value([1]).firstValue.isPending)")
            events.append("\(Promise.value(1).map(on: nil) { $0 + 1 }.then(on: nil) { Promise.value($0) }.isPending)")
            events.append("\(Promise<Int>(error: Fault.one).map { $0 }.isPending)")
            events.append("\(when(fulfilled: [Promise.value(1)]).isPending)")
        }
        let source = Source(Int.self)
        source.seal.onCancel { check() }
        Promise.value(1).done(on: nil) { _ in check() }.cauterize()
        Promise.value(1).pipe { _ in check() }
        source.promise.cancel()
        #expect(events.all == Array(repeating: "false", count: 15))
    }

    @Test("6: that doesn't recurse, however often a closure chains onto a settled promise")
    func settledInsideDeep() {
        @Sendable func countdown(_ number: Int) -> Promise<Int> {
            Promise.value(number).then(on: nil) { $0 == 0 ? .value(7) : countdown($0 - 1) }
        }
        let result = Recorder<Int>()
        // More stack, because a step begins other steps inside it to a certain depth.
        SmallStack.run(bytes: 256 << 10) {
            countdown(2 * SmallStack.depth).done(on: nil) { result.append($0) }.cauterize()
        }
        #expect(result.all == [7])
    }

    // The chain `source → rollback → close → end`, canceled at its end, with queues that could overtake one another.
    @Test(
        "7: after a cancel, what follows an ensure runs after it and its work have ended, from the source down",
        arguments: [nil, .pledge, MarkedQueue().queue], [nil, .pledge, MarkedQueue().queue])
    func cleanup(first: DispatchQueue?, second: DispatchQueue?) async {
        let source = Source(Void.self)
        let (work, finish) = Guarantee<Void>.pending()
        let end = source.promise
            .ensureThen(on: first) { [events] in
                events.append("rollback begins")
                return work.get(on: nil) { events.append("rollback ends") }
            }
            .map(on: nil) { _ in Issue.record("ran after a cancel") }
            .ensure(on: second) { [events] in events.append("close") }
            .catch { _ in Issue.record("a cancel was caught") }
        end.finally { [events] in events.append("finally") }
        end.cancel()
        #expect(source.stopCount == 1)
        if let first { await MarkedQueue.drain(first) }
        #expect(events.all == ["rollback begins"] && end.isPending)
        finish(())
        _ = await end.outcome()
        await DefaultExecutor.drain()
        #expect(events.all == ["rollback begins", "rollback ends", "close", "finally"])
        #expect(end.error?.isCancelled == true)
    }

    @Test("7: also if another cancel comes upon the first")
    func cancelsMeet() {
        let (source, events) = (Source(Int.self), events)
        let tail = Locked<Promise<Int>?>(nil)
        // Released when the first cancel has marked the promises, but rejected none. So could another thread come then.
        func map(holding second: AtEnd) -> Promise<Int> {
            source.promise.map {
                second.stay()
                return $0
            }
        }
        let first = map(holding: AtEnd { tail.withLock { $0 }?.cancel() })
            .ensure(on: nil) { events.append("first") }
        let middle = first.map { $0 }
        tail.withLock { $0 = middle }
        let end = middle.ensure(on: nil) { events.append("second") }
        first.cancel()
        #expect(events.all == ["first", "second"])
        #expect(end.error?.isCancelled == true && source.stopCount == 1)
    }

    @Test("7: also through when, race, and their like", arguments: [0, 1, 2, 3, 4, 5])
    func cleanupOfMany(kind: Int) async {
        let queues = [MarkedQueue().queue, MarkedQueue().queue]
        let sources = [Source(Int.self), Source(Int.self)]
        let inputs = zip(sources, queues).map { [events] source, queue in
            source.promise.ensure(on: queue) { events.append("input") }
        }
        let end: Promise<Void> =
            switch kind {
            case 0: when(fulfilled: inputs).asVoid()
            case 1: race(inputs).asVoid()
            case 2: race(fulfilled: inputs).asVoid()
            case 3: when(fulfilled: inputs.makeIterator(), concurrently: 2).asVoid()
            case 4: when(resolved: inputs).done(on: nil) { _ in }._promise
            default: when(resolved: inputs.makeIterator(), concurrently: 2).done(on: nil) { _ in }._promise
            }
        await DefaultExecutor.drain()
        let cleaned = end.ensure { [events] in events.append("output") }
        for queue in queues { queue.suspend() }
        cleaned.cancel()
        #expect(sources.map(\.stopCount) == [1, 1])
        await DefaultExecutor.drain()
        #expect(events.all.isEmpty)
        queues[0].resume()
        await MarkedQueue.drain(queues[0])
        #expect(events.all == ["input"] && cleaned.isPending)
        queues[1].resume()
        _ = await cleaned.outcome()
        #expect(events.all == ["input", "input", "output"])
    }
}

extension MarkedQueue {
    fileprivate static func drain(_ queue: DispatchQueue) async {
        for _ in 0..<12 {
            await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        }
        await DefaultExecutor.drain()
    }
}
