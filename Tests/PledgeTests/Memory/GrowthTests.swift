import Pledge
import PledgeTestSupport
import Testing

@Suite("Nothing grows")
struct GrowthTests {
    private let cage = Cage()

    @Test("with the canceled lists of guarantees")
    func cancelledLists() throws {
        let (guarantee, resolve) = Guarantee<Int>.pending()
        let kept = guarantee.map { $0 }
        for _ in 0..<1_000 {
            when(guarantees: guarantee, Guarantee.value(1)).cancel()
            race(guarantee, Guarantee<Int>.pending().guarantee).cancel()
        }
        #expect(guarantee.handlerCount < 20)
        resolve(1)
        #expect(try kept.wait() == 1)
    }

    @Test("with a guarantee whose resolve closure is released: its chain is released, too, and learns why")
    func droppedGuarantee() async {
        _ = LogCapture.shared
        let below = Recorder<any Error>()
        do {
            let (guarantee, _) = Guarantee<Int>.pending()
            guarantee.map { [canary = cage.canary("map")] _ in canary.sing() }
                .then { [canary = cage.canary("then")] _ in Promise.value(canary.sing(1)) }
                .catch { below.append($0) }
        }
        await DefaultExecutor.drain()
        #expect(cage.survivors.isEmpty)
        if case .dropped? = below.all.first as? PromiseError {} else { Issue.record("not told: \(below.all)") }
    }

    @Test("with the attempts of a retry, which sets no timer without a delay")
    func attempts() async {
        let (time, alive) = (ManualTimekeeper(), Recorder<Int>())
        let promise = retry(attempts: 500, timekeeper: time.timekeeper) { [cage] in
            alive.append(cage.survivors.count)
            return Promise<Int>(error: Fault.one).ensure { [canary = cage.canary("attempt")] in canary.sing() }
        }
        await #expect(throws: Fault.one) { try await promise.value }
        #expect(alive.count == 500)
        #expect(alive.all.allSatisfy { $0 < 10 })
        #expect(time.requested.isEmpty)
    }
}
