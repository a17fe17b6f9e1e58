import Foundation
import Pledge
import PledgeFiles
import PledgeTestSupport
import Testing

@testable import PledgeBatch
@testable import PledgeCommand

@Suite("The metrics file of a run", .serialized)
final class MetricsFileTests: FolderSuite {
    private let clock = ManualTimekeeper(start: Date(timeIntervalSince1970: 1_000_000))

    private func report(
        _ command: String = "export", shard: String = "0/1", metrics name: String = "m.prom", clock: Timekeeper? = nil
    ) throws -> MetricsFile {
        var context = RunContext()
        context.clock = clock ?? self.clock.timekeeper
        let words = ["--metrics", folder.path(name), "--shard", shard]
        return MetricsFile(command, try BatchOptions(Arguments(words, of: ExportCommand.command, in: context)))
    }

    /// Returns the value of a series as it is written in the metrics file, or nil if the file doesn't have the series.
    private func metric(_ name: String, _ labels: String = #"command="export",shard="0/1""#) -> String? {
        let start = "pledge_\(name){\(labels)} "
        return folder.lines("m.prom").first { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) }
    }

    private struct Killed: Error {}

    /// Begins a report, and then leaves the metrics file as it was at the beginning, as if the process had been killed.
    private func kill(_ report: MetricsFile) throws {
        var left = ""
        #expect(throws: Killed.self) {
            try report.during { _ in
                left = folder.text("m.prom")
                throw Killed()
            }
        }
        try folder.file("m.prom", holding: left)
    }

    /// Gives a report the numbers of a run. A closure sets the numbers of the whole run and the numbers of Exist.
    private func follow(
        _ report: MetricsFile, _ change: @escaping @Sendable (inout BatchProgress, inout BatchTally) -> Void
    ) {
        report.observe {
            var (figures, exist) = (BatchProgress(), BatchTally())
            change(&figures, &exist)
            figures.tallies["exist"] = exist
            return (figures, BatchInput.Skipped())
        }
    }

    @Test(
        "A run's metrics have its start, end, exit code, and true duration; a killed run's have only the start")
    func ended() throws {
        let code = try report().during { _ in
            clock.advance(by: 60)
            clock.jump(by: -1000)
            return .someFailed
        }
        #expect(code == .someFailed)
        #expect(metric("run_start_timestamp_seconds") == "1000000")
        #expect(metric("run_end_timestamp_seconds") == "999060")
        #expect(metric("run_exit_code") == "2" && metric("run_seconds") == "60")
        #expect(clock.alarmCount == 0)
        try kill(report("sync", shard: "2/8"))
        let labels = #"command="sync",shard="2/8""#
        #expect(metric("run_start_timestamp_seconds", labels) == "999060")
        #expect(metric("run_end_timestamp_seconds", labels) == "0" && metric("run_exit_code", labels) == nil)
    }

    @Test("The times of the last success and the last run without failures survive failed and killed runs")
    func lastSuccess() throws {
        let runs: [(after: TimeInterval, code: ExitCode?, failed: Int, success: String, complete: String)] = [
            (0, .serviceDown, 0, "0", "0"), (0.5, .someFailed, 1, "1000000.5", "0"),
            (0.5, .success, 0, "1000001", "1000001"),
            (86_400, nil, 0, "1000001", "1000001"), (0, .interrupted, 0, "1000001", "1000001"),
            (0, .failure, 0, "1000001", "1000001"), (0, .usage, 0, "1000001", "1000001"),
            (0, .someFailed, 1, "1086401", "1000001"),
            // This run has --accept-errors, so its exit code is 0 although an account failed.
            (1, .success, 1, "1086402", "1000001"), (1, .success, 0, "1086403", "1086403"),
        ]
        for run in runs {
            clock.advance(by: run.after)
            if let code = run.code {
                _ = try report().during { report in
                    follow(report) { $1.errors = run.failed > 0 ? ["other": run.failed] : [:] }
                    return code
                }
            } else {
                try kill(report())
            }
            #expect(metric("last_success_timestamp_seconds") == run.success, "\(run)")
            #expect(metric("last_complete_timestamp_seconds") == run.complete, "\(run)")
        }
    }

    /// Reports a run in which Exist's lists had these errors, and returns the lines that the metrics file had during
    /// the run.
    private func night(_ lists: [String: [String: Int]], exits code: ExitCode = .someFailed) throws -> [String] {
        var during: [String] = []
        _ = try report().during { report in
            follow(report) { $1.lists = lists }
            during = folder.lines("m.prom")
            return code
        }
        return during
    }

    @Test("Until a run ends, its metrics have the previous run's numbers; then errors that didn't recur become 0")
    func lastFigures() throws {
        let forbidden =
            #"pledge_lists_failed_total{command="export",shard="0/1",service="exist",list="average",kind="forbidden"} "#
        let code = #"pledge_run_exit_code{command="export",shard="0/1"} "#
        func has(_ line: String, _ lines: [String]? = nil) -> Bool { (lines ?? folder.lines("m.prom")).contains(line) }
        let first = try night(["average": ["forbidden": 3]])
        #expect(!first.contains { $0.hasPrefix(forbidden) || $0.hasPrefix(code) })
        #expect(has(forbidden + "3") && has(code + "2"))
        try kill(report())
        #expect(has(forbidden + "3") && has(code + "2"))
        let second = try night([:], exits: .success)
        #expect(has(forbidden + "3", second) && has(code + "2", second))
        #expect(has(#"pledge_run_end_timestamp_seconds{command="export",shard="0/1"} 0"#, second))
        #expect(has(forbidden + "0") && has(code + "0"))
        _ = try night(["average": ["forbidden": 1]])
        #expect(has(forbidden + "1"))
    }

    @Test(
        "The last success in a metrics file is ignored if it belongs to another command or shard, or isn't a number",
        arguments: [
            #"pledge_last_success_timestamp_seconds{command="sync",shard="0/1"} 5"#,
            #"pledge_last_success_timestamp_seconds{command="export",shard="0/10"} 5"#,
            #"pledge_last_success_timestamp_seconds{command="export",shard="0/1"} soon"#,
            #"pledge_last_success_timestamp_seconds{command="export",shard="0/1"} NaN"#, "\u{0}\u{1}", "",
        ])
    func foreignSuccess(text: String) throws {
        try folder.file("m.prom", holding: text)
        _ = try report().during { _ in .serviceDown }
        #expect(metric("last_success_timestamp_seconds") == "0")
    }

    @Test("The metrics are updated every ten seconds until the end of the run")
    func updates() async throws {
        let report = try report()
        let progress = Locked(0)
        _ = try report.during { report in
            follow(report) { figures, exist in
                exist.done = progress.withLock { $0 }
                (figures.left, figures.waiting) = (7 - exist.done, 2)
            }
            for second in 1...3 {
                progress.withLock { $0 = second }
                advance(to: 10 * second)
                #expect(metric("accounts_left") == "\(7 - second)" && metric("accounts_done_total", Self.exist) == nil)
                #expect(metric("accounts_waiting") == "2" && metric("service_up", Self.exist) == "1")
            }
            return .success
        }
        #expect(metric("accounts_done_total", Self.exist) == "3")
        clock.advance(by: 100)
        #expect(metric("last_update_seconds") == "1000030" && clock.requested == [10, 10, 10, 10])
        #expect(clock.alarmCount == 0)
        // A tick that comes too late to be canceled doesn't schedule another tick.
        let alarms = Locked<[@Sendable () -> Void]>([])
        let other = try self.report(metrics: "other", clock: .late(alarms))
        #expect(try other.during { _ in .success } == .success)
        alarms.withLock { $0 }.first?()
        #expect(alarms.withLock { $0.count } == 1)
    }

    /// Lets ten seconds pass and waits for the update. The wait blocks the thread, because the closure of `during`
    /// can't await.
    private func advance(to second: Int) {
        clock.advance(by: 10)
        Wait.blocking { metric("last_update_seconds") == "\(1_000_000 + second)" }
        #expect(metric("last_update_seconds") == "\(1_000_000 + second)")
    }

    private static let exist = #"command="export",shard="0/1",service="exist""#

    @Test("A run can't use the metrics file of a run that is still in progress, unless the file was removed")
    func shared() throws {
        func second() throws {
            let before = folder.text("m.prom")
            let error = thrown(FileError.self) {
                try report().during { _ in
                    Issue.record("the run began")
                    return .success
                }
            }
            #expect(error?.description.contains("m.prom is being written by another run") == true)
            #expect(folder.text("m.prom") == before)
        }
        _ = try report().during { _ in
            try second()
            advance(to: 10)
            try second()
            return .success
        }
        #expect(metric("run_exit_code") == "0" && metric("run_end_timestamp_seconds") == "1000010")
        let error = thrown(FileError.self) {
            try report().during { _ in
                try folder.remove("m.prom")
                return try report().during { _ in .interrupted }
            }
        }
        #expect(error?.description.contains("m.prom is being written by another run") == true)
        #expect(metric("run_exit_code") == "130")
    }

    @Test("Every metric has the number that the run counted")
    func figures() throws {
        _ = try report().during { report in
            report.observe {
                var (figures, tally) = (BatchProgress(waiting: 21, left: 22), BatchTally())
                (tally.done, tally.errors, tally.lists) = (1, ["x": 2], ["a \"b\"\\c\nd": ["y": 3]])
                (tally.unreadable, tally.givenUp, tally.requests, tally.retries) = (["b": 4], 5, 6, 7)
                (tally.limited, tally.waits, tally.waitSeconds, tally.bytes) = (8, 9, 10.5, 11)
                (tally.outages, tally.outageSeconds) = (12, 13.5)
                tally.latency.record(0.25)
                (figures.tallies, figures.down) = (["exist": tally], ["exist"])
                return (figures, BatchInput.Skipped(badLines: 14, duplicates: 15))
            }
            clock.advance(by: 0.1875)
            return .partial
        }
        let found = folder.lines("m.prom").filter { !$0.hasPrefix("#") && !$0.contains("mydatahelps") }.map {
            $0.replacing(#"command="export",shard="0/1""#, with: "").replacing(#",service="exist""#, with: "")
                .replacing("pledge_", with: "").replacing("{}", with: "")
        }
        let expected = """
            run_start_timestamp_seconds 1000000; run_end_timestamp_seconds 1000000.188; run_seconds 0.1875; \
            last_update_seconds 1000000.188; accounts_waiting 21; accounts_left 22; service_up 0; run_exit_code 4; \
            last_success_timestamp_seconds 1000000.188; last_complete_timestamp_seconds 0; accounts_done_total 1; \
            accounts_failed_total{,kind="x"} 2; lists_failed_total{,list="a \\"b\\"\\\\c\\nd",kind="y"} 3; \
            items_unreadable_total{,list="b"} 4; accounts_given_up_total 5; lines_skipped_total{,reason="bad"} 14; \
            lines_skipped_total{,reason="duplicate"} 15; requests_total 6; retries_total 7; limited_total 8; \
            waits_total 9; wait_seconds_total 10.5; received_bytes_total 11; outages_total 12; \
            outage_seconds_total 13.5; request_seconds_count 1; request_seconds_sum 0.25; \
            request_seconds{,quantile="0.5"} 0.25; request_seconds{,quantile="0.9"} 0.25; \
            request_seconds{,quantile="0.99"} 0.25
            """
        #expect(found.joined(separator: "; ") == expected)
        let other = #"command="export",shard="0/1",service="mydatahelps""#
        #expect(metric("service_up", other) == "1" && metric("request_seconds", other + ",quantile=\"0.5\"") == nil)
    }

    /// A Python that has Prometheus's own client, which the package doesn't depend on; nil if there is none.
    private static let python = Executable.python(with: "prometheus_client.parser")

    /// A Python script that prints the series of several metrics files. It fails if the files contradict each other,
    /// because a collector of all these files would fail, too.
    private static let reader = """
        import json, sys
        from prometheus_client.parser import text_string_to_metric_families
        words, values = {}, {}
        for path in sys.argv[1:]:
            for family in text_string_to_metric_families(open(path).read()):
                said = (family.type, family.documentation)
                assert family.documentation and words.setdefault(family.name, said) == said, family.name
                assert family.type in ("counter", "gauge", "summary"), family
                for sample in family.samples:
                    key = sample.name + json.dumps(sample.labels, sort_keys=True)
                    assert key not in values, key
                    assert {"command", "shard"} <= sample.labels.keys(), key
                    values[key] = sample.value
        print(json.dumps(values))
        """

    @Test(
        "Prometheus's own parser reads the files of several commands and shards together without duplicate series",
        .enabled(if: MetricsFileTests.python != nil, "Prometheus's client for Python is not installed"))
    func parser() throws {
        var tally = BatchTally()
        (tally.done, tally.errors, tally.requests) = (3, ["forbidden": 1, "timedOut": 2], 12)
        tally.lists = ["a \"list\"\\of\nthings": ["forbidden": 1]]
        tally.latency.record(0.25)
        let figures = Locked(BatchProgress())
        figures.withLock { ($0.tallies, $0.down) = (["exist": tally, "mydatahelps": BatchTally()], ["mydatahelps"]) }
        let names = [("export", "0/2"), ("export", "1/2"), ("export", "0/1"), ("sync", "0/1")]
            .map { command, shard in
                let name = "\(command)-\(shard.first ?? " ")-\(shard.last ?? " ").prom"
                _ = try? report(command, shard: shard, metrics: name).during {
                    $0.observe { (figures.withLock { $0 }, BatchInput.Skipped()) }
                    return .someFailed
                }
                return name
            }
        _ = try? report("sync", shard: "3/4", metrics: "running.prom").during { _ in
            try FileManager.default.copyItem(atPath: folder.path("running.prom"), toPath: folder.path("killed.prom"))
            return .success
        }
        let read = try Executable.run(
            [try #require(Self.python), "-c", Self.reader] + (names + ["killed.prom"]).map(folder.path))
        #expect(read.status == 0, "\(read.output)")
        let values = try JSONSerialization.jsonObject(with: Data(read.output.utf8)) as? [String: Double] ?? [:]
        #expect(values[#"pledge_run_exit_code{"command": "sync", "shard": "3/4"}"#] == nil)
    }
}
