import Pledge
import PledgeTestSupport
import Testing

@Suite("Canceling deeply nested promises")
struct NestedCancelTests {
    @Test("does not recurse through lists or timeouts")
    func deep() {
        let (source, seal) = Promise<Int>.pending()
        var lists = source
        for _ in 0..<SmallStack.depth { lists = when(fulfilled: [lists]).firstValue }
        let time = ManualTimekeeper()
        let (other, otherSeal) = Promise<Int>.pending()
        var pauses = other
        for _ in 0..<1_000 { pauses = pauses.timeout(seconds: 5, timekeeper: time.timekeeper) }

        let (list, pause) = (lists, pauses)
        SmallStack.run {
            list.cancel()
            pause.cancel()
        }

        #expect(source.error as? PromiseError == .cancelled)
        #expect(other.error as? PromiseError == .cancelled)
        _ = (seal, otherSeal)
    }

    @Test("does not recurse through asynchronous code")
    func asynchronous() async {
        let source = Source(Int.self)
        let ends = Recorder<Promise<Int>>()
        let started = Counter()
        let depth = SmallStack.depth
        SmallStack.run {
            var end = source.promise
            for _ in 0..<depth {
                end = Promise { [end] in
                    started.increment()
                    return try await end.value
                }
            }
            ends.append(end)
        }
        await Wait.until { started.value == depth }
        SmallStack.run { ends.all[0].cancel() }
        await Wait.until { source.stopCount == 1 }
        #expect(ends.all[0].error as? PromiseError == .cancelled)
        #expect(source.stopCount == 1)
    }

    @Test("does not recurse through manually set hooks")
    func hooks() {
        let source = Source(Int.self)
        SmallStack.run {
            var end = source.promise
            for _ in 0..<SmallStack.depth {
                end = Promise { [end] seal in
                    end.pipe { seal.resolve($0) }
                    seal.onCancel { end.cancel() }
                }
            }
            end.cancel()
        }
        #expect(source.stopCount == 1)
    }

    @Test("does not recurse when hooks are released that each hold the resolver before them")
    func heldResolvers() {
        SmallStack.run {
            var (_, last) = Promise<Int>.pending()
            for _ in 0..<SmallStack.depth {
                let (_, seal) = Promise<Int>.pending()
                seal.onCancel { [last] in withExtendedLifetime(last) {} }
                last = seal
            }
            last.fulfill(1)
        }
    }
}
