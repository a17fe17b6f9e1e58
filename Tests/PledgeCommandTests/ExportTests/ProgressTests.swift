import Foundation
import Pledge
import PledgeTestSupport
import Testing

@testable import PledgeCommand

@Suite("How far an export is", .serialized)
struct ProgressTests {
    @Test("A line says what is done, how fast it goes, and how long it will take")
    func line() {
        let progress = Progress(done: 1_204, failed: 3, waiting: 2, left: 6_000, elapsed: 60)

        #expect(progress.line == "1,204 done, 3 failed, 20.1/s, 5 min left, 2 waiting for a limit")
        #expect(progress.summary == "1,204 accounts done and 3 failed in 60 s (20.1 a second).")
        #expect(Progress().line == "0 done, 0 failed, 0.0/s")
    }

    @Test(
        "Times are told as people do",
        arguments: [(0.4, "0 s"), (99.4, "99 s"), (99.5, "2 min"), (5_969, "99 min"), (9_000, "2 h 30 min")])
    func durations(seconds: TimeInterval, words: String) {
        #expect(Progress.duration(seconds) == words)
    }

    @Test("What is left follows from how much of the input was read")
    func left() {
        #expect(Progress.left(position: (100, 5_000), size: 50_000, parts: 1, settled: 90) == 910)
        #expect(Progress.left(position: (100, 5_000), size: 50_000, parts: 4, settled: 20) == 230)
        #expect(Progress.left(position: (100, 5_000), size: 50_000, parts: 4, settled: 999) == 0)
        #expect(Progress.left(position: (100, 5_000), size: 0, parts: 1, settled: 0) == nil)
    }

    private func reporter(
        isQuiet: Bool = false, isTerminal: Bool, _ clock: ManualTimekeeper, _ written: Locked<[String]>
    ) -> ProgressReporter {
        ProgressReporter(
            isQuiet: isQuiet, isTerminal: isTerminal, timekeeper: clock.timekeeper,
            write: { line in written.withLock { $0.append(line.text) } }, progress: { Progress(done: 1, elapsed: 2) })
    }

    @Test("A terminal sees it change in place; a log gets a line every five seconds, and none after the summary")
    func paces() {
        for (isTerminal, expected) in [
            (true, Array(repeating: "\r\u{1B}[K1 done, 0 failed, 0.5/s", count: 40)),
            (false, Array(repeating: "1 done, 0 failed, 0.5/s\n", count: 2)),
        ] {
            let (clock, written) = (ManualTimekeeper(), Locked<[String]>([]))
            let reporter = reporter(isTerminal: isTerminal, clock, written)
            reporter.begin()
            clock.advance(by: 10)
            #expect(written.withLock { $0 } == expected)

            reporter.end(["More."])
            clock.advance(by: 10)
            let start = isTerminal ? "\r\u{1B}[K" : ""
            #expect(
                written.withLock { $0 } == expected + [
                    "\(start)1 accounts done and 0 failed in 2 s (0.5 a second). More.\n"
                ])
            #expect(clock.alarmCount == 0)
        }
    }

    @Test("Quiet means no progress and no summary; what must be said is said")
    func quiet() {
        let (clock, written) = (ManualTimekeeper(), Locked<[String]>([]))
        let reporter = reporter(isQuiet: true, isTerminal: true, clock, written)
        reporter.begin()
        clock.advance(by: 100)
        reporter.say("Line 3 was left out.")
        reporter.end([])

        #expect(written.withLock { $0 } == ["Line 3 was left out.\n"])
    }
}
