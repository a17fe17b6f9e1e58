import Foundation
import PledgeBatch
import PledgeHTTP
import PledgeSandbox
import PledgeTestSupport
import Testing

#if compiler(>=6.2)
    /// A batch job as somebody would write it who knows the public interface only.
    @Suite("A job for a third service", .serialized)
    struct TidesJobTests {
        @Test("It has at most 40 lines, of which the service takes at most 25")
        func lines() throws {
            let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
                "TidesJob.swift")
            let parts = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n/// Asks")
            let counts = parts.map { $0.split(separator: "\n", omittingEmptySubsequences: false).count }
            #expect(parts.count == 2 && counts[0] <= 25 && counts[0] + counts[1] <= 40, "\(counts)")
        }

        @Test("Through an outage and a kill, each of 2,000 stations has one result, within all limits")
        func killed() async throws {
            let tides = try Tides(limit: 400, outage: 600..<660)
            defer { tides.server.stop() }
            let folder = try TemporaryFolder()
            setenv("TIDES", tides.server.baseURL.absoluteString, 1)
            setenv("TIDES_LEVELS", folder.path("levels.jsonl"), 1)

            await #expect(processExitsWith: .signal(SIGKILL)) {
                let address = try #require(URL(string: ProcessInfo.processInfo.environment["TIDES"] ?? ""))
                let path = try #require(ProcessInfo.processInfo.environment["TIDES_LEVELS"])
                let levels = try ResultsFile<TidesAPI.Level>(path)
                let job = tidesJob(at: address, tokens: Tides.tokens, storing: levels, clock: Tides.clock)
                while levels.count < 700, job.isPending { usleep(500) }
                kill(getpid(), SIGKILL)
            }

            let levels = try ResultsFile<TidesAPI.Level>(folder.path("levels.jsonl"))
            let kept = levels.count
            // Those that were being stored when it was killed are missing.
            #expect((650...1999).contains(kept))
            let before = tides.answered
            let tally = try await tidesJob(
                at: tides.server.baseURL, tokens: Tides.tokens, storing: levels, clock: Tides.clock
            ).value

            #expect(tally.done == 2000 - kept && tally.failed == 0 && tally.left == 0 && tally.down.isEmpty)
            #expect(tides.answered - before == 2000 - kept)
            #expect(tides.mostInAnHour <= 400)
            var found: [Int: Double] = [:]
            try levels.forEach { key, level in
                #expect(found.updateValue(level.meters, forKey: level.station) == nil && key == "\(level.station)")
            }
            #expect(found.count == 2000 && found.allSatisfy { $0.value == Double($0.key) / 8 })
        }
    }

    /// A service with a limit for each token and an outage, in whose time an hour takes two seconds.
    private final class Tides: Sendable {
        static let tokens = ["ebb", "flow", "slack"]
        static let clock = Timekeeper(
            now: { Date(timeIntervalSince1970: Timekeeper.live.uptime() * 1800) },
            uptime: { Timekeeper.live.uptime() * 1800 },
            schedule: { seconds, work in Timekeeper.live.schedule(seconds / 1800, work) })

        private struct Log {
            var count = 0
            var times: [String: [Double]] = [:]
        }

        let server: SandboxServer
        private let log: Locked<Log>

        var answered: Int { log.withLock { $0.times.values.reduce(0) { $0 + $1.count } } }
        var mostInAnHour: Int {
            log.withLock { log in
                log.times.values.flatMap { times in
                    times.map { time in times.count { time - 3600 < $0 && $0 <= time } }
                }.max() ?? 0
            }
        }

        init(limit: Int, outage: Range<Int>) throws {
            let log = Locked(Log())
            self.log = log
            server = SandboxServer(routes: [
                SandboxRoute("GET /stations/{station}/level") { request in
                    let token = request.headers["Authorization"] ?? ""
                    let now = Tides.clock.uptime()
                    let station = Int(request.parameters["station"] ?? "") ?? 0
                    return log.withLock { log in
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
#endif
