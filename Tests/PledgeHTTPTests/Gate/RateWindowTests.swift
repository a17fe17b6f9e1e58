import Testing

@testable import PledgeHTTP

@Suite("The requests that a token has left")
struct RateWindowTests {
    private func window(limit: Int? = 3) -> RateWindow { RateWindow(limit: limit, period: 60, longestClosing: 600) }

    private func send(_ window: inout RateWindow, at now: Double) {
        let hasRoom = window.hasRoom(now: now)
        #expect(hasRoom)
        window.promise()
        window.send(now: now)
    }

    @Test("are the limit's less those sent and permitted in the last period")
    func spacing() {
        var window = window()
        for now in [0.0, 10, 20] { send(&window, at: now) }
        #expect(!window.hasRoom(now: 59) && window.hasRoom(now: 60))
        window.promise()
        #expect(!window.hasRoom(now: 60) && window.available(now: 60) == 0)
        window.takeBack()
        #expect((0..<7).map { window.opening(after: $0, now: 60) } == [60, 70, 80, 120, 130, 140, 180])
    }

    @Test("are one in a period if the limit is none")
    func none() {
        var window = window(limit: 0)
        #expect(window.hasRoom(now: 0) && window.opening(after: 1, now: 0) == 60)
    }

    @Test("are none while it is closed, and then one, until that has not been refused or five seconds have passed")
    func trial() {
        for answer in [1.0, nil] {
            var window = window(limit: nil)
            #expect(window.close(for: 100, now: 0) && !window.close(for: 99, now: 0))
            #expect(!window.hasRoom(now: 99) && window.hasRoom(now: 100) && window.opening(after: 0, now: 0) == 100)
            window.promise()
            #expect(!window.hasRoom(now: 100) && window.opening(after: 0, now: 100) == 105)
            window.send(now: 100)
            #expect(!window.hasRoom(now: 104) && window.opening(after: 0, now: 100) == 105)
            if let answer {
                #expect(window.succeed(now: 100 + answer) && !window.succeed(now: 100 + answer))
                #expect(window.hasRoom(now: 100 + answer) && window.opening(after: 0, now: 100 + answer) < 105)
            }
            #expect(window.hasRoom(now: 105) && window.opening(after: 0, now: 105) == 105)
        }
    }

    @Test("are announced for a limited time, and a negative announcement is none")
    func announced() {
        var window = window()
        #expect(window.close(for: 1e9, now: 0) && !window.isClosed(now: 600))
        #expect(!window.close(for: -1, now: 1000) && !window.close(for: 0, now: 1000) && window.hasRoom(now: 1000))
    }

    @Test("are remembered while the token is not used, as long as they count")
    func remembered() throws {
        var window = window()
        for now in [0.0, 30] { send(&window, at: now) }
        var later = self.window()
        later.recall(try #require(window.remembered(now: 50)))
        #expect(later.available(now: 50) == 1 && later.available(now: 90) == 3)
        #expect(window.remembered(now: 90) == nil)

        #expect(window.close(for: 100, now: 90) && window.isClosed(now: 189))
        var closed = self.window()
        closed.recall(try #require(window.remembered(now: 95)))
        #expect(closed.isClosed(now: 189) && !closed.isClosed(now: 190))
        #expect(window.remembered(now: 190) == nil)
    }
}
