import Testing

@testable import PledgeBatch

@Suite("The health of a service")
struct ServiceHealthTests {
    @Test(
        "While a service is down, pauses between probes grow to a minute, but only to five seconds if probes end with a fault",
        arguments: [false, true])
    func probes(isFault: Bool) {
        var health = ServiceHealth()
        for down in [100.0, 5_000] {
            let isDown = health.countFailure(
                of: 9, isExcused: false, isReached: false, isLastAttempt: true, enough: 5, now: down)
            #expect(isDown)
            var (gaps, now) = ([Double](), down)
            while gaps.count < 9, let due = health.nextProbe {
                gaps.append(due - now)
                now = due
                health.beginProbe(7)
                #expect(health.probing == 7 && health.nextProbe == nil)
                health.delayNextProbe(now: now, isFault: isFault)
            }
            #expect(gaps == (isFault ? [1, 2, 4, 5, 5, 5, 5, 5, 5] : [1, 2, 4, 8, 16, 32, 60, 60, 60]))
            #expect(health.probing == nil)
            #expect(!health.isUp)
            let lives = [health.countSuccess(of: 1), health.countSuccess(of: 1)]
            #expect(lives == [true, false] && health.isUp && health.nextProbe == nil)
        }
    }

    private func counts(_ health: inout ServiceHealth, _ items: Int..., isReached: Bool = true) -> [Int] {
        items.map {
            _ = health.countFailure(
                of: $0, isExcused: $0 == 99, isReached: isReached, isLastAttempt: false, enough: .max, now: 0)
            return health.failureCount
        }
    }

    @Test("Accounts that fail while no other succeeds are counted once each, even after they have ended")
    func suspects() {
        var health = ServiceHealth()
        #expect(counts(&health, 1, 1, 2, 1, 3) == [1, 1, 2, 2, 3])
        health.forget(3)
        #expect(counts(&health, 1, 4) == [3, 4])
        _ = health.countSuccess(of: 5)
        #expect(counts(&health, 6, 7) == [1, 2])
    }

    @Test("An account that failed while the service answered others isn't counted again until it succeeds")
    func excused() {
        var health = ServiceHealth()
        #expect(counts(&health, 1, 2, 99) == [1, 2, 2])
        _ = health.countSuccess(of: 1)
        #expect(counts(&health, 2, 2, 1) == [0, 0, 1])
        #expect(health.isSuspect(1) && health.isSuspect(2) && !health.isSuspect(99))
        #expect(counts(&health, 2, 99, isReached: false) == [2, 3], "no account can make a service unreachable")
        _ = health.countSuccess(of: 2)
        #expect(counts(&health, 2) == [1])
    }

    @Test(
        "Accounts that haven't failed probe a service first, in random order; accounts that have failed come after them"
    )
    func candidates() {
        var generator = SplitMix64(state: 1)
        var first: Set<Int?> = []
        for _ in 0..<24 {
            var health = ServiceHealth()
            _ = counts(&health, 1)
            _ = health.countSuccess(of: 9)
            _ = counts(&health, 2)
            for item in 1...5 { health.addHeld(item, failedBefore: false) }
            health.addHeld(6, failedBefore: true)
            let order = health.candidates(using: &generator)
            #expect(order.count == 6 && Set(order.prefix(3)) == [3, 4, 5] && order.suffix(3) == [2, 1, 6])
            first.insert(order.first)
        }
        #expect(first.count == 3)
    }
}
