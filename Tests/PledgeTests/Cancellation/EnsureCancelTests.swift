import Dispatch
import Pledge
import PledgeTestSupport
import Testing

@Suite("The closure of ensure")
struct EnsureCancelTests {
    @Test("runs once when the end of the chain is canceled while the source is pending")
    func cancelledBelow() async {
        let ran = Counter()
        let (source, seal) = Promise<Int>.pending()
        let end = source.map { $0 }.ensure { ran.increment() }.done { _ in Issue.record("done ran") }

        end.cancel()
        await DefaultExecutor.drain()

        #expect(ran.value == 1)
        #expect(source.error as? PromiseError == .cancelled)
        _ = seal
    }

    @Test("runs once when its promise is canceled while the source settles")
    func once() async {
        for round in 0..<300 {
            let ran = Counter()
            let (source, seal) = Promise<Int>.pending()
            let end = source.ensure { ran.increment() }
            await withTaskGroup(of: Void.self) { group in
                group.addTask { end.cancel() }
                group.addTask { seal.fulfill(round) }
            }
            await DefaultExecutor.drain()
            #expect(ran.value == 1)
        }
    }

    @Test("runs once on its own queue, too, when its promise is canceled while the source settles")
    func onceOnQueue() {
        let crew = ThreadCrew(count: 2)
        defer { crew.dismiss() }
        let queue = DispatchQueue(label: "in any case")
        for round in 0..<500 {
            let ran = Counter()
            let source = Source(Int.self)
            let end = source.promise.ensure(on: queue) { ran.increment() }
            crew.run([{ end.cancel() }, { source.seal.fulfill(round) }])
            DefaultExecutor.drainBlocking(hops: 3)
            queue.sync {}
            #expect(ran.value == 1)
        }
    }

    @Test("runs even if another handler keeps the source pending")
    func sharedSource() async throws {
        let ran = Counter()
        let (source, seal) = Promise<Int>.pending()
        let other = source.map { $0 + 1 }
        source.ensure { ran.increment() }.cancel()
        await DefaultExecutor.drain()
        #expect(ran.value == 1)

        seal.fulfill(1)

        #expect(try await other.value == 2)
        #expect(ran.value == 1)
    }

    @Test("runs on the given queue")
    func queue() async {
        let marked = MarkedQueue()
        let (source, seal) = Promise<Int>.pending()
        let ran = Recorder<Bool>()
        source.ensure(on: marked.queue) { ran.append(marked.isCurrent) }.cancel()
        await marked.drain()
        #expect(ran.all == [true])
        _ = seal
    }

    @Test("may return work in ensureThen, which is not canceled with the chain")
    func ensureThen() async {
        let (work, finish) = Guarantee<Void>.pending()
        let done = Counter()
        let (source, seal) = Promise<Int>.pending()
        source.ensureThen { work.done { done.increment() } }.cancel()
        await DefaultExecutor.drain()

        finish(())
        await DefaultExecutor.drain()

        #expect(done.value == 1)
        _ = seal
    }

    @Test("may have begun work in ensureThen, which is not canceled with the chain, and ends before what follows")
    func ensureThenUnderway() async {
        let (work, finish) = Guarantee<Void>.pending()
        let done = Counter()
        let end = Promise.value(1).ensureThen { work.done { done.increment() } }
        await DefaultExecutor.drain()
        end.cancel()
        #expect(end.isPending)

        finish(())
        await #expect(throws: PromiseError.cancelled) { try await end.value }

        #expect(done.value == 1)
    }

    @Test("runs before the handlers that follow it")
    func beforeWhatFollows() async {
        let events = Recorder<String>()
        let (source, seal) = Promise<Void>.pending()
        let end = source.ensure { events.append("ensure") }
        end.finally { events.append("finally") }
        end.cancel()
        await DefaultExecutor.drain()
        #expect(events.all == ["ensure", "finally"])
        _ = seal
    }

    @Test("runs before the handlers that follow it, whatever its queue")
    func beforeWhatFollowsOnQueue() async {
        let events = Recorder<String>()
        let marked = MarkedQueue()
        let source = Source(Void.self)
        marked.queue.suspend()
        let end = source.promise.ensure(on: marked.queue) { events.append("ensure") }
        let caught = end.catch(policy: .allErrors) { _ in events.append("catch") }
        end.cancel()
        #expect(source.stopCount == 1)
        await DefaultExecutor.drain()
        #expect(events.all.isEmpty)
        marked.queue.resume()
        _ = await caught.outcome()
        #expect(events.all == ["ensure", "catch"])
    }

    @Test("may return work in ensureThen, which ends before the handlers after a canceled chain run")
    func ensureThenBeforeWhatFollows() async {
        let (work, finish) = Guarantee<Void>.pending()
        let events = Recorder<String>()
        let source = Source(Int.self)
        let end = source.promise.ensureThen { work }
        let caught = end.catch(policy: .allErrors) { _ in events.append("catch") }
        end.cancel()
        await DefaultExecutor.drain()
        #expect(events.all.isEmpty)
        finish(())
        _ = await caught.outcome()
        #expect(events.all == ["catch"])
    }

    @Test(
        "may return work in ensureThen, which ends before what follows a canceled when or race",
        arguments: [false, true])
    func ensureThenInJoin(isRace: Bool) async {
        let (work, finish) = Guarantee<Void>.pending()
        let events = Recorder<String>()
        let (source, other) = (Source(Int.self), Source(Int.self))
        let inputs = [source.promise.ensureThen { work }, other.promise]
        let end = isRace ? race(inputs) : when(fulfilled: inputs).map { $0[0] }
        let caught = end.catch(policy: .allErrors) { _ in events.append("catch") }
        end.cancel()
        await DefaultExecutor.drain()
        #expect(events.all.isEmpty && source.stopCount == 1 && other.stopCount == 1)
        finish(())
        _ = await caught.outcome()
        #expect(events.all == ["catch"])
    }

    @Test("runs from the beginning of a canceled chain to its end", arguments: [nil, .pledge, MarkedQueue().queue])
    func fromTheTop(queue: DispatchQueue?) async {
        let events = Recorder<Int>()
        let source = Source(Int.self)
        let end = source.promise
            .ensure(on: queue) { events.append(1) }
            .ensure(on: queue) { events.append(2) }
            .map { $0 }
            .ensure(on: queue) { events.append(3) }
        end.cancel()
        _ = await end.outcome()
        #expect(events.all == [1, 2, 3])
        #expect(source.stopCount == 1)
    }
}
