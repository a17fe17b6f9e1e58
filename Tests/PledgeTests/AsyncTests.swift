import Pledge
import PledgeTestSupport
import Testing

@Suite("Awaiting a guarantee")
struct AsyncTests {
    static let pauses: [@Sendable (Guarantee<Void>) -> Guarantee<Void>] = [
        { $0 }, { when(resolved: [Promise($0)]).asVoid() }, { Promise($0).settled().asVoid() },
        { Promise($0).recover { _ in Guarantee() } }, { pause in pause.then { pause } },
    ]

    @Test("Canceling a task cancels the guarantee that it awaits, and stops that guarantee's timer", arguments: pauses)
    func cancelled(wait: @escaping @Sendable (Guarantee<Void>) -> Guarantee<Void>) async {
        let time = ManualTimekeeper()
        let pause = after(seconds: 9, timekeeper: time.timekeeper)
        let task = Task { await wait(pause).value }
        task.cancel()
        await task.value
        #expect(time.alarmCount == 0)
    }

    @Test(
        "A canceled task still gets the value of its guarantee, even if nothing else depends on the guarantee",
        arguments: [true, false])
    func noValue(isShared: Bool) async {
        let (guarantee, resolve) = Guarantee<Int>.pending()
        let other = isShared ? guarantee.map { $0 + 1 } : nil
        let task = Task { await guarantee.value }
        task.cancel()
        await DefaultExecutor.drain()
        #expect(guarantee.isPending)
        resolve(1)
        #expect(await task.value == 1)
        #expect(await other?.value == (isShared ? 2 : nil))
    }
}
