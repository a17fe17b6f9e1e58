import Foundation
import Pledge
import PledgeTestSupport
import Testing

@testable import PledgeBatch
@testable import PledgeCommand

@Suite("Progress of an export", .serialized)
struct ProgressTests {
    /// The progress of a batch of which one item was done in two seconds.
    private static func progress(waiting: Int = 0, wake: Date? = nil, left: Int? = nil) -> BatchProgress {
        var tally = BatchTally()
        tally.record(.done())
        return BatchProgress(tallies: ["exist": tally], waiting: waiting, wake: wake, left: left, elapsed: 2)
    }

    private func reporter(
        isQuiet: Bool = false, _ style: ProgressReporter.Style, _ clock: Timekeeper, _ written: Locked<[String]>
    ) -> ProgressReporter {
        ProgressReporter(
            isQuiet: isQuiet, style, clock: clock,
            write: { line in
                #expect(line.isData == (style == .json))
                written.withLock { $0.append(line.text) }
            })
    }

    @Test("Until the run ends, a terminal updates its progress in place, and a log gets a line every 30 seconds")
    func paces() {
        for (style, seconds, expected) in [
            (.terminal, 10, Array(repeating: "\r\u{1B}[K1 done, 0 failed, 0.5/s", count: 40)),
            (
                .log, 60,
                ["1970-01-01T00:00:30Z 1 done, 0 failed, 0.5/s\n", "1970-01-01T00:01:00Z 1 done, 0 failed, 0.5/s\n"]
            ),
        ] as [(ProgressReporter.Style, TimeInterval, [String])] {
            let (clock, written) = (ManualTimekeeper(), Locked<[String]>([]))
            let reporter = reporter(style, clock.timekeeper, written)
            reporter.begin { LogEvent(Self.progress()) }
            clock.advance(by: seconds)
            #expect(written.withLock { $0 } == expected)
            reporter.end([LogEvent(name: "end", text: "That was all.")])
            #expect(clock.alarmCount == 0)
            clock.advance(by: 100)
            let start = style == .terminal ? "\r\u{1B}[K" : ""
            #expect(written.withLock { $0 } == expected + ["\(start)That was all.\n"])
        }
    }

    @Test("A timer tick that races with the end of the run prints nothing")
    func late() {
        let (alarms, written) = (Locked<[@Sendable () -> Void]>([]), Locked<[String]>([]))
        let reporter = reporter(.log, .late(alarms), written)
        reporter.begin { LogEvent(Self.progress()) }
        reporter.end([])
        alarms.withLock { $0 }.first?()
        #expect(alarms.withLock { $0.count } == 1 && written.withLock { $0.isEmpty })
        reporter.begin { LogEvent(Self.progress()) }
        #expect(alarms.withLock { $0.count } == 1, "no timer is left after the end")
    }

    @Test("With --log json, each event is one line of JSON with the time, the numbers, and a message")
    func json() throws {
        let (clock, written) = (ManualTimekeeper(), Locked<[String]>([]))
        let reporter = reporter(.json, clock.timekeeper, written)
        let wake = Date(timeIntervalSince1970: 60)
        reporter.begin { LogEvent(Self.progress(waiting: 3, wake: wake, left: 6)) }
        clock.advance(by: 30)
        for (notice, trouble) in [
            (.down(service: "exist"), "no answer"), (.probe(service: "exist"), nil),
            (.up(service: "exist", after: 1.2345), nil), (.gone(service: "exist", after: 900), "no answer"),
        ] as [(Schedule.Notice, String?)] {
            reporter.log(LogEvent(notice, BatchRules(), trouble: trouble))
        }
        reporter.end(
            [
                LogEvent(
                    errors: ["other": 2, "forbidden": 2, "notFound": 3], lists: ["b": ["x": 1], "a": ["y": 2]],
                    advice: "Try again."),
                LogEvent(errors: [:], advice: "Try again."), LogEvent(errors: ["x": 1], advice: ""),
                LogEvent(unreadable: ["a": 1]), LogEvent(unreadable: ["a": 0]),
            ].compactMap(\.self))
        let expected = #"""
            {"done":1,"eta_seconds":12,"event":"progress","failed":0,"left":6,"message":"1 done, 0 failed, 3 waiting until \#
            00:01:00Z, 0.5/s, 12 s left","seconds":2,TIME,"waiting":3,"waiting_until":"1970-01-01T00:01:00Z"}
            {"event":"outage","message":"Exist is down (no answer): for up to 15 min, only an occasional request is \#
            sent to it.","service":"exist",TIME,"trouble":"no answer"}
            {"event":"probe","message":"Checking whether Exist is back.","service":"exist",TIME}
            {"event":"outage-over","message":"Exist is back after 1 s.","seconds":1.235,"service":"exist",TIME}
            {"event":"outage-given-up","message":"Exist did not come back within 15 min (no answer): its accounts are left \#
            for another run.","seconds":900,"service":"exist",TIME,"trouble":"no answer"}
            {"event":"errors","forbidden":2,"lists":{"a":{"y":2},"b":{"x":1}},"message":"Errors: 3 notFound, 2 forbidden, \#
            2 other. Lists: a 2 y; b 1 x. Try again.","notFound":3,"other":2,TIME}
            {"event":"errors","message":"Errors: 1 x.",TIME,"x":1}
            {"a":1,"event":"unreadable","message":"1 item could not be read, and is missing: 1 a.",TIME}

            """#
        #expect(written.withLock { $0.joined().replacing(#""time":"1970-01-01T00:00:30Z""#, with: "TIME") } == expected)
    }

    @Test("A quiet export prints neither progress nor a summary, but still reports a skipped line")
    func quiet() {
        let (clock, written) = (ManualTimekeeper(), Locked<[String]>([]))
        let reporter = reporter(isQuiet: true, .terminal, clock.timekeeper, written)
        reporter.begin { LogEvent(Self.progress()) }
        clock.advance(by: 100)
        reporter.log(LogEvent(name: "bad-line", text: "Line 3 was skipped."), always: true)
        reporter.log(LogEvent(name: "resumed", text: "Going on."))
        reporter.end([LogEvent(name: "end", text: "All.")])
        #expect(written.withLock { $0 } == ["Line 3 was skipped.\n"])
    }
}
