import Foundation
import Pledge
import PledgeTestSupport
import Testing

@testable import PledgeBatch
@testable import PledgeCommand

@Suite("BatchProgress of an export", .serialized)
struct ProgressTests {

    private func reporter(
        isQuiet: Bool = false, _ style: ProgressReporter.Style, _ clock: ManualTimekeeper, _ written: Locked<[String]>
    ) -> ProgressReporter {
        ProgressReporter(
            isQuiet: isQuiet, style, clock: clock.timekeeper,
            write: { line in written.withLock { $0.append(line.text) } })
    }

    @Test("A terminal shows progress in place; a log gets a line each half minute; both stop at the end")
    func paces() {
        for (style, seconds, expected) in [
            (.terminal, 10, Array(repeating: "\r\u{1B}[K1 done, 0 failed, 0.5/s", count: 40)),
            (
                .log, 60,
                ["1970-01-01T00:00:30Z 1 done, 0 failed, 0.5/s\n", "1970-01-01T00:01:00Z 1 done, 0 failed, 0.5/s\n"]
            ),
        ] as [(ProgressReporter.Style, TimeInterval, [String])] {
            let (clock, written) = (ManualTimekeeper(), Locked<[String]>([]))
            let reporter = reporter(style, clock, written)
            reporter.begin { LogEvent(BatchProgress(done: 1, elapsed: 2)) }
            clock.advance(by: seconds)
            #expect(written.withLock { $0 } == expected)

            reporter.end([LogEvent(name: "end", words: "That was all.")])
            clock.advance(by: 100)
            let start = style == .terminal ? "\r\u{1B}[K" : ""
            #expect(written.withLock { $0 } == expected + ["\(start)That was all.\n"])
            #expect(clock.alarmCount == 0)
        }
    }

    @Test("A program gets each event as a line of JSON, with the time, the facts, and a message")
    func json() throws {
        let (clock, written) = (ManualTimekeeper(), Locked<[String]>([]))
        let reporter = reporter(.json, clock, written)
        let wake = Date(timeIntervalSince1970: 60)
        reporter.begin { LogEvent(BatchProgress(done: 1, waiting: 3, wake: wake, left: 6, elapsed: 2)) }
        clock.advance(by: 30)
        reporter.say(LogEvent(.gone(service: "exist", after: 900), BatchRules(), trouble: "no answer"))
        reporter.say(LogEvent(.up(service: "exist", after: 1.5), BatchRules()))
        reporter.end([])

        let lines = try written.withLock { $0 }.map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        let expected: [[String: Any]] = [
            [
                "event": "progress", "time": "1970-01-01T00:00:30Z", "done": 1, "failed": 0, "waiting": 3, "seconds": 2,
                "waiting_until": "1970-01-01T00:01:00Z", "left": 6, "eta_seconds": 12,
            ], ["event": "outage-given-up", "service": "exist", "seconds": 900, "trouble": "no answer"],
            ["event": "outage-over", "service": "exist", "seconds": 1.5],
        ]
        try #require(lines.count == expected.count)
        for (line, facts) in zip(lines, expected) {
            for (name, fact) in facts { #expect("\(line[name] ?? "")" == "\(fact)", "\(name)") }
        }
        #expect((lines[1]["message"] as? String)?.contains("left for another run") == true)
    }

    @Test("A quiet export shows no progress and no summary, but what must be reported")
    func quiet() {
        let (clock, written) = (ManualTimekeeper(), Locked<[String]>([]))
        let reporter = reporter(isQuiet: true, .terminal, clock, written)
        reporter.begin { LogEvent(BatchProgress(done: 1, elapsed: 2)) }
        clock.advance(by: 100)
        reporter.say(LogEvent(name: "bad-line", words: "Line 3 was skipped."), always: true)
        reporter.say(LogEvent(name: "resumed", words: "Going on."))
        reporter.end([LogEvent(name: "end", words: "All.")])
        #expect(written.withLock { $0 } == ["Line 3 was skipped.\n"])
    }
}
