import PledgeTestSupport
import Testing

@testable import PledgeHTTP

@Suite("The requests that a token has left")
struct SlidingWindowTests {
    /// A sliding window whose mutating method `hasRoom` can be called within `#expect`, on a copy.
    private struct Stage {
        var window: SlidingWindow

        init(limit: Int? = 3) { window = SlidingWindow(limit: limit, period: 60, longestClosing: 600) }

        func hasRoom(_ now: Double) -> Bool {
            var copy = window
            return copy.hasRoom(now: now)
        }

        /// Sends a request that ends at once or, if `isUnderWay` is true, doesn't end.
        mutating func send(_ now: Double, isUnderWay: Bool = false) {
            #expect(hasRoom(now))
            window.reserve()
            window.send(now: now)
            if !isUnderWay { window.end(sentAt: now, now: now) }
        }
    }

    @Test("The requests left are the limit minus the requests that were sent or permitted in the last period")
    func spacing() {
        var stage = Stage()
        for now in [0.0, 10, 20] { stage.send(now) }
        #expect(!stage.hasRoom(59) && stage.hasRoom(60))
        // At 60, the request sent at 0 no longer counts, so this call makes the window forget it.
        _ = stage.window.hasRoom(now: 60)
        stage.window.reserve()
        #expect(!stage.hasRoom(60) && stage.window.available(now: 60) == 0)
        #expect(stage.window.opening(after: 0, now: 60) == 70)
        stage.window.takeBack()
        let openings = (0..<7).map { stage.window.opening(after: $0, now: 60) }
        #expect(openings == [60, 70, 80, 120, 130, 140, 180])
    }

    @Test(
        "A closed window permits nothing; when it opens, it permits one request until that succeeds or 5 seconds pass")
    func trial() {
        for answer in [1.0, 5, nil] {
            var stage = Stage(limit: nil)
            let closings = [100.0, 100, 99].map { stage.window.close(for: $0, now: 0) }
            #expect(closings == [true, false, false])
            #expect(!stage.hasRoom(99) && stage.window.opening(after: 0, now: 0) == 100)
            #expect(stage.hasRoom(100))
            stage.window.reserve()
            // Calls that wait behind the trial request check again after its five seconds. They do not check constantly
            // until then.
            #expect(!stage.hasRoom(100) && stage.window.opening(after: 0, now: 100) == 105)
            stage.window.send(now: 100)
            #expect(!stage.hasRoom(104) && stage.window.opening(after: 0, now: 100) == 105)
            if let answer {
                let freed = (0..<2).map { _ in stage.window.succeed(now: 100 + answer) }
                #expect(freed == [answer < 5, false] && stage.hasRoom(100 + answer))
            }
            #expect(stage.hasRoom(105))
        }
    }

    @Test("A window stays closed no longer than its maximum; a negative or zero duration doesn't close it")
    func announced() {
        var stage = Stage()
        let closings = [(1e9, 0.0), (-1, 1000), (0, 1000)].map { stage.window.close(for: $0.0, now: $0.1) }
        #expect(closings == [true, false, false])
        #expect(!stage.hasRoom(599) && stage.hasRoom(600) && stage.hasRoom(1000))
    }

    @Test(
        "While a token isn't used, its window remembers the requests that still count, and the time at which it reopens"
    )
    func remembered() throws {
        var stage = Stage()
        for now in [0.0, 30] { stage.send(now) }
        var later = Stage()
        later.window.recall(try #require(stage.window.remembered(now: 50)))
        #expect(later.window.available(now: 50) == 1 && later.window.available(now: 90) == 3)
        #expect(stage.window.remembered(now: 70)?.end == 90 && stage.window.remembered(now: 90) == nil)
        _ = stage.window.close(for: 100, now: 90)
        var closed = Stage()
        closed.window.recall(try #require(stage.window.remembered(now: 95)))
        #expect(closed.window.isClosed(now: 189) && !closed.window.isClosed(now: 190))
        #expect(stage.window.remembered(now: 190) == nil)
    }

    @Test("The time computed for each waiting call is right if all calls ahead of it are sent as early as possible")
    func openings() {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<Rounds.count(usual: 300) {
            let limit = Int.random(in: 1...4, using: &random)
            var stage = Stage(limit: limit)
            var now = 0.0
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                if stage.hasRoom(now) { stage.send(now) } else { now += Double(Int.random(in: 1...70, using: &random)) }
            }
            _ = stage.hasRoom(now)
            let known = (0..<9).map { stage.window.opening(after: $0, now: now) }
            // Sends each call in the first second in which the window has room.
            var sent: [Double] = []
            while sent.count < known.count {
                _ = stage.window.hasRoom(now: now)
                if stage.hasRoom(now) {
                    stage.send(now)
                    sent.append(now)
                } else {
                    now += 1
                }
            }
            #expect(known == sent, "limit \(limit)")
        }
    }

    @Test(
        "A request counts until one period after its response; if none comes within 30 s, the period begins after these 30 s"
    )
    func underWay() {
        var stage = Stage(limit: 2)
        for now in [0.0, 10] { stage.send(now, isUnderWay: true) }
        #expect(stage.window.available(now: 20) == 0 && stage.window.opening(after: 0, now: 20) == 80)
        #expect(stage.window.nextLook(now: 20) == 30)
        stage.window.end(sentAt: 10, now: 20)
        #expect(!stage.hasRoom(79) && stage.hasRoom(80) && stage.window.nextLook(now: 20) == 80)
        // The request sent at 0 gets no response, so it counts as arrived at 30. Reporting its end later changes
        // nothing.
        stage.send(80)
        #expect(!stage.hasRoom(89) && stage.hasRoom(90) && stage.window.available(now: 90) == 1)
        stage.window.end(sentAt: 0, now: 90)
        #expect(stage.hasRoom(90) && stage.window.nextLook(now: 90) == 90)
        _ = stage.window.close(for: 100, now: 90)
        #expect(stage.window.nextLook(now: 90) == 190)
    }

    @Test(
        "A service never receives more requests in a period than the limit, even if requests take up to 30 s to arrive")
    func strict() {
        var random = SeededGenerator(seed: 11)
        for _ in 0..<Rounds.count(usual: 300) {
            let (limit, period) = (Int.random(in: 1...5, using: &random), Double.random(in: 1...50, using: &random))
            var window = SlidingWindow(limit: limit, period: period, longestClosing: 600)
            var (now, arrivals, ends) = (0.0, [Double](), [(sent: Double, end: Double)]())
            while arrivals.count < 30 {
                for end in ends where end.end <= now { window.end(sentAt: end.sent, now: end.end) }
                ends.removeAll { $0.end <= now }
                while window.hasRoom(now: now) {
                    window.reserve()
                    window.send(now: now)
                    let journey = Double.random(in: 0...30, using: &random)
                    arrivals.append(now + journey)
                    // Some responses take long, and a few never come.
                    let wait = Double.random(in: 0...20, using: &random)
                    if Int.random(in: 0...9, using: &random) > 0 { ends.append((now, now + journey + wait)) }
                }
                let next = ends.map(\.end).min() ?? .infinity
                now = min(next, max(window.nextLook(now: now), now + 0.001))
            }
            arrivals.sort()
            let spans = zip(arrivals, arrivals.dropFirst(limit)).map { $1 - $0 }
            #expect(spans.allSatisfy { $0 > period - 1e-6 }, "limit \(limit), period \(period): \(spans)")
        }
    }

    @Test("Windows, limiters, and semaphores treat a limit below one as one; a window treats an invalid time as zero")
    func least() {
        for limit in [0, -7] {
            #expect(RateLimiter(limit: limit).available == 1)
            #expect(Semaphore(width: limit).enter { .value(1) }.isFulfilled)
            var stage = Stage(limit: limit)
            stage.send(0)
            #expect(!stage.hasRoom(59) && stage.window.opening(after: 1, now: 0) == 120)
        }
        for (seconds, isNone) in [(Double.nan, true), (-1, true), (1, false)] {
            var stage = Stage()
            stage.window = SlidingWindow(limit: 1, period: seconds, longestClosing: seconds)
            stage.send(0)
            let (hasRoom, _) = (stage.hasRoom(0.5), stage.window.close(for: 7, now: 0.5))
            #expect(hasRoom == isNone && stage.window.isClosed(now: 0.5) != isNone)
        }
    }
}
