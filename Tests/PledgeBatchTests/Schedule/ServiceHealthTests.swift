import Testing

@testable import PledgeBatch

@Suite("The health of a service")
struct ServiceHealthTests {
    @Test("While a service is down, probes are twice as far apart each time, at most a minute, and in each outage anew")
    func probes() {
        var health = ServiceHealth()
        for down in [100.0, 5_000] {
            health.goDown(now: down)
            var (gaps, now) = ([Double](), down)
            while gaps.count < 9, let due = health.nextProbe {
                gaps.append(due - now)
                now = due
                health.beginProbe(7)
                #expect(health.probing == 7 && health.nextProbe == nil)
                health.endProbe(now: now)
            }
            #expect(gaps == [1, 2, 4, 8, 16, 32, 60, 60, 60] && health.probing == nil)
            #expect(!health.isUp)
            let lives = [health.recordLife(), health.recordLife()]
            #expect(lives == [true, false] && health.isUp && health.nextProbe == nil)
        }
    }

    @Test("Only accounts that fail while no other succeeds are counted, each once")
    func suspects() {
        var health = ServiceHealth()
        var counts = [1, 1, 2, 1, 3].map { health.suspect($0) }
        #expect(counts == [1, 1, 2, 2, 3])
        _ = health.recordLife()
        counts = [3, 4].map { health.suspect($0) }
        #expect(counts == [1, 2])
    }
}
