import Foundation
import Pledge
import PledgeTestSupport
import Testing

@Suite("Cancelling what is nested deeply")
struct NestedCancelTests {
    @Test("does not recurse, through lists or time-outs")
    func deep() {
        let depth = 20_000
        let (source, seal) = Promise<Int>.pending()
        var lists = source
        for _ in 0..<depth { lists = when(fulfilled: [lists]).firstValue }
        let time = ManualTimekeeper()
        let (other, otherSeal) = Promise<Int>.pending()
        var pauses = other
        for _ in 0..<1_000 { pauses = pauses.timeout(seconds: 5, timekeeper: time.timekeeper) }

        let (list, pause) = (lists, pauses)
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            list.cancel()
            pause.cancel()
            done.signal()
        }
        thread.stackSize = 512 << 10
        thread.start()
        done.wait()

        #expect(source.error as? PromiseError == .cancelled)
        #expect(other.error as? PromiseError == .cancelled)
        _ = (seal, otherSeal)
    }
}
