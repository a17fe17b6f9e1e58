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
            let parts = try Repository.text("Tests/SnippetTests/TidesJob.swift").components(separatedBy: "\n/// Asks")
            let counts = parts.map { $0.split(separator: "\n", omittingEmptySubsequences: false).count }
            #expect(parts.count == 2 && counts[0] <= 25 && counts[0] + counts[1] <= 40, "\(counts)")
        }

        /// Where the process that is killed finds what this one knows.
        private static func note(_ process: pid_t) -> URL {
            FileManager.default.temporaryDirectory.appendingPathComponent("pledge-tides-\(process)")
        }

        @Test("Through an outage and a kill, each of 2,000 stations has one result, within all limits")
        func killed() async throws {
            let folder = try TemporaryFolder()
            let clock = TickingClock()
            let tides = try Tides(
                limit: 400, outage: 600..<660, killing: folder.path("process"), after: 700, clock.timekeeper)
            defer { tides.server.stop() }
            // Not in the environment, which other threads read.
            let note = Self.note(getpid())
            try "\(tides.server.baseURL)\n\(folder.url.path)".write(to: note, atomically: true, encoding: .utf8)
            defer { try? FileManager.default.removeItem(at: note) }

            await #expect(processExitsWith: .signal(SIGKILL)) {
                let lines = try String(contentsOf: Self.note(getppid()), encoding: .utf8).components(separatedBy: "\n")
                let (address, folder) = (try #require(URL(string: lines[0])), lines[1])
                let levels = try ResultsFile<TidesAPI.Level>("\(folder)/levels.jsonl")
                try "\(getpid())".write(toFile: "\(folder)/process", atomically: true, encoding: .utf8)
                let clock = TickingClock()
                _ = try await tidesJob(
                    at: address, tokens: Tides.tokens, storing: levels, clock: clock.timekeeper
                ).value
            }

            let levels = try ResultsFile<TidesAPI.Level>(folder.path("levels.jsonl"))
            let kept = levels.count
            // Those that were on their way or being stored when it was killed are missing.
            #expect((500..<700).contains(kept))
            let before = tides.answered
            let tally = try await tidesJob(
                at: tides.server.baseURL, tokens: Tides.tokens, storing: levels, clock: clock.timekeeper
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

    /// A clock that moves by ten seconds whenever its thread has its turn: a busy machine slows it down with the rest.
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

    /// A service with a limit for each token and an outage, which kills its client when it has answered some requests.
    private final class Tides: Sendable {
        static let tokens = ["ebb", "flow", "slack"]

        private struct Log {
            var count = 0
            var times: [String: [Double]] = [:]
            var answered: Int { times.values.reduce(0) { $0 + $1.count } }
        }

        let server: LoopbackServer
        private let log: Locked<Log>

        var answered: Int { log.withLock { $0.answered } }
        var mostInAnHour: Int {
            log.withLock { log in
                log.times.values.flatMap { times in
                    times.map { time in times.count { time - 3600 < $0 && $0 <= time } }
                }.max() ?? 0
            }
        }

        init(limit: Int, outage: Range<Int>, killing process: String, after last: Int, _ clock: Timekeeper) throws {
            let log = Locked(Log())
            self.log = log
            server = LoopbackServer(routes: [
                ServerRoute("GET /stations/{station}/level") { request in
                    let token = request.headers["Authorization"] ?? ""
                    let now = clock.uptime()
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
                        if log.answered == last, let client = try? String(contentsOfFile: process, encoding: .utf8) {
                            Int32(client).map { _ = kill($0, SIGKILL) }
                        }
                        return .json(["station": .integer(station), "meters": .number(Double(station) / 8)])
                    }
                }
            ])
            try server.start()
        }
    }
#endif
