import Pledge
import PledgeTestSupport
import Testing

@Suite("Canceling deeply nested promises")
struct NestedCancelTests {
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
