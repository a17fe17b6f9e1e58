import Foundation
import PledgeBatch
import PledgeHTTP
import PledgeSandbox
import PledgeTestSupport
import Testing

/// Runs a batch job that uses only the public interface, as a user of the package would write it.
@Suite("A job for a third service", .serialized)
struct TidesJobTests {
    @Test("The code of the job has at most 40 lines, of which at most 25 describe the service")
    func lines() throws {
        let parts = try Repository.text("Tests/SnippetTests/TidesJob.swift").components(separatedBy: "\n/// Asks")
        let counts = parts.map { $0.split(separator: "\n", omittingEmptySubsequences: false).count }
        #expect(parts.count == 2 && counts[0] <= 25 && counts[0] + counts[1] <= 40, "\(counts)")
    }

    @Test("Despite an outage and a cancel, a job gets one result for each of 800 stations, and exceeds no rate limit")
    func stopped() async throws {
        let folder = try TemporaryFolder()
        let clock = TickingClock()
        let tides = try Tides(limit: 160, outage: 240..<264, pausingAfter: 280, clock.timekeeper)
        defer { tides.server.stop() }
        func job(_ levels: ResultsFile<TidesAPI.Level>) -> Promise<BatchTally> {
            tidesJob(at: tides.server.baseURL, tokens: Tides.tokens, storing: levels, clock: clock.timekeeper)
        }
        let begun = try ResultsFile<TidesAPI.Level>(folder.path("levels.jsonl"))
        let first = job(begun)
        try await tides.pause.value
        first.cancel()
        _ = await first.failure()
        try await begun.close().value
        tides.goOn()

        let levels = try ResultsFile<TidesAPI.Level>(folder.path("levels.jsonl"))
        let kept = levels.count
        // Results that were just being stored when the job was canceled may be missing.
        #expect((200...280).contains(kept))
        let tally = try await job(levels).value

        #expect(tally.done == 800 - kept && tally.failed == 0 && tally.givenUp == 0 && tally.down.isEmpty)
        // A request of the canceled run may arrive late.
        let asked = 280 + 800 - kept
        #expect((asked..<asked + BatchRules().inFlight).contains(tides.answered) && tides.mostInAnHour <= 160)
        var found: [Int: Double] = [:]
        try levels.forEach { key, level in
            #expect(found.updateValue(level.meters, forKey: level.station) == nil && key == "\(level.station)")
        }
        #expect(found.count == 800 && found.allSatisfy { $0.value == Double($0.key) / 8 })
    }
}

/// A clock that advances by ten seconds whenever its thread runs, so that a busy machine slows down the clock and the job alike.
private final class TickingClock: Sendable {
    private let time = ManualTimekeeper()

    var timekeeper: Timekeeper { time.timekeeper }

    init() {
        Thread.detachNewThread { [weak self] in
            while let time = self?.time {
                usleep(1000)
                time.advance(by: 10)
            }
        }
    }
}

/// A service with a rate limit for each token, and with an outage. After a number of answers, it stops responding until
/// `goOn` is called.
private final class Tides: Sendable {
    static let tokens = ["ebb", "flow", "slack"]

    private struct Log {
        var count = 0
        var last: Int
        var times: [String: [Double]] = [:]
        var answered: Int { times.values.reduce(0) { $0 + $1.count } }
    }

    let server: LoopbackServer
    let pause: Promise<Void>
    private let log: Locked<Log>

    var answered: Int { log.withLock { $0.answered } }
    var mostInAnHour: Int {
        log.withLock { log in
            log.times.values.flatMap { times in
                times.map { time in times.count { time - 3600 < $0 && $0 <= time } }
            }.max() ?? 0
        }
    }

    func goOn() { log.withLock { $0.last = .max } }

    init(limit: Int, outage: Range<Int>, pausingAfter last: Int, _ clock: Timekeeper) throws {
        let log = Locked(Log(last: last))
        let (pause, resolver) = Promise<Void>.pending()
        (self.log, self.pause) = (log, pause)
        server = LoopbackServer(routes: [
            ServerRoute("GET /stations/{station}/level") { request in
                let token = request.headers["Authorization"] ?? ""
                let now = clock.uptime()
                let station = Int(request.parameters["station"] ?? "") ?? 0
                return log.withLock { log in
                    if log.answered == log.last {
                        resolver.fulfill()
                        return .silence
                    }
                    log.count += 1
                    if outage.contains(log.count) { return .json(["problem": "maintenance"], status: 503) }
                    let recent = log.times[token, default: []].filter { $0 > now - 3600 }
                    if recent.count >= limit {
                        let wait = Int((recent[0] + 3600 - now).rounded(.up))
                        return .empty(429, headers: ["Retry-After": "\(wait)"])
                    }
                    log.times[token, default: []].append(now)
                    return .json(["station": .integer(station), "meters": .number(Double(station) / 8)])
                }
            }
        ])
        try server.start()
    }
}
