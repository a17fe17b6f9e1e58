import ExistKit
import Foundation

@testable import PledgeCommand

extension OptionTable {
    // The rows for one command come before the rows for all commands, because the first row that fits counts.
    static let rows = all.filter { $0.command != nil } + all.filter { $0.command == nil }
    private static let all = report + sync + export + signIn + account + participants + deviceData + others

    private static let own = ["environment", "profile", "demo"]

    /// Returns the day that is this number of days before today. `week` and `month` contain such days.
    private static func ago(_ days: Int) -> String { "\(TestClock.today.advanced(by: -days))" }
    private static let week: String = {
        let week = Calendar(identifier: .iso8601).dateComponents(
            [.yearForWeekOfYear, .weekOfYear], from: TestClock.noon - 50 * 86_400)
        return String(format: "%d-W%02d", week.yearForWeekOfYear ?? 0, week.weekOfYear ?? 0)
    }()
    private static let month = String(ago(40).prefix(7))

    /// Returns rows for options that are all refused. The options are written as on a command line.
    private static func refused(_ command: String?, _ situations: [String]?, _ words: String...) -> [OptionRow] {
        words.map { OptionRow(name($0), command, situations, .refused([$0])) }
    }

    /// Returns rows for options that all have an effect. The options are written as on a command line.
    private static func effective(_ command: String?, _ words: String...) -> [OptionRow] {
        words.map { OptionRow(name($0), command, nil, .effect([$0])) }
    }

    /// Returns rows for options whose effect is shown by this test.
    private static func shown(_ command: String, by test: String, _ options: String...) -> [OptionRow] {
        options.map { OptionRow($0, command, nil, .shown(by: test)) }
    }

    private static func name(_ word: String) -> String { String(word.prefix { $0 != "=" }) }

    private static let report: [OptionRow] =
        refused("report", ["database"], "--profile=other", "--timeout=3", "--verbose", "--ca-file=@/ca.pem") + [
            .init("--demo", "report", ["database"], .refused(["--demo"])),
            .init("--database", "report", ["database"], .selects),
            .init("--database", "report", nil, .effect(["--database", "@/own.db"], prepare: .database)),
            .init("--account", "report", own, .refused(["--account", "maya"])),
            .init("--year", "report", own, .shown(by: "UsageTests.mistakes")),
            .init("--all", "report", ["database"], .shown(by: "DatabaseReportTests.periods")),
        ]
        + effective(
            "report", "--account=another", "--year=\(ago(400).prefix(4))", "--days=3", "--week=\(week)",
            "--month=\(month)", "--from=\(ago(9))", "--through=\(ago(17))", "--html=@/page.html", "--mydatahelps")

    private static let sync: [OptionRow] =
        refused(
            "sync", own, "--in-flight=3", "--total-rate=100", "--outage-wait=3", "--shard=0/2", "--only=a1",
            "--retry=all", "--check", "--metrics=@/m.prom", "--log=json", "--accept-errors", "--accept-empty")
        + refused("sync", ["accounts", "check"], "--profile=other", "--demo")
        + refused(
            "sync", ["check"], "--overlap=3", "--full", "--full-every=3", "--lock-wait=3", "--accept-removals",
            "--accept-identity=a1") + [
            .init("--database", "sync", ["accounts", "check"], .selects),
            .init("--database", "sync", own, .shown(by: "UsageTests.mistakes")),
            .init("--overlap", "sync", ["demo"], .shown(by: "ExistSyncTests.unchanged")),
            .init("--overlap", "sync", nil, .effect(["--overlap", "3"], prepare: .earlierRun)),
            .init(
                "--full", "sync", ["demo"], .effect(["--full", "--verbose"], with: ["--verbose"], prepare: .earlierRun)),
            .init("--full", "sync", nil, .effect(["--full"], prepare: .earlierRun)),
            .init("--full-every", "sync", nil, .shown(by: "ExistSyncTests.turns")),
            .init("--lock-wait", "sync", nil, .shown(by: "HistoryFileTests.lockWait")),
            .init("--accept-removals", "sync", nil, .shown(by: "RemovalTests.doubted")),
            .init("--accept-identity", "sync", nil, .shown(by: "SyncOperationTests.identity")),
            .init("--only", "sync", nil, .effect(["--only", "a1"])),
            .init("--retry", "sync", nil, .effect(["--retry", "all"], prepare: .earlierRun)),
            .init("--check", "sync", ["check"], .selects),
            .init("--check", "sync", nil, .effect(["--check"])),
            .init("--accept-errors", "sync", ["accounts"], .effect(["--accept-errors"], prepare: .forbidden)),
            .init("--rate", "sync", ["demo"], .effect(["--rate", "2"], with: ["--wait", "0"])),
        ]

    private static let export: [OptionRow] =
        refused(
            "export", ["check"], "--days=3", "--from=\(ago(26))", "--through=\(ago(17))", "--sections=insights",
            "--output=@/r.jsonl", "--resume", "--retry=all") + [
            .init(
                "--resume", "export", nil, .effect(["--resume"], with: ["--output", "@/r.jsonl"], prepare: .earlierRun)),
            .init("--retry", "export", nil, .shown(by: "ExportLimitsTests.retry")),
            .init("--check", "export", ["check"], .selects),
            .init("--accept-errors", "export", ["file", "pipe"], .effect(["--accept-errors"], prepare: .forbidden)),
        ]
        + effective(
            "export", "--days=3", "--from=\(ago(26))", "--through=\(ago(17))", "--sections=insights",
            "--output=@/r.jsonl", "--check")

    /// The options that several commands share, for a single account or for many accounts.
    private static let account: [OptionRow] = [
        .init("--profile", nil, ["demo"], .refused(["--profile", "other"])),
        .init("--profile", nil, nil, .effect(["--profile", "other"])),
        .init("--demo", nil, ["demo"], .selects),
        .init("--demo", nil, nil, .effect(["--demo"])),
        .init("--timeout", nil, ["demo"], .shown(by: "OptionTableTests.demo")),
        .init("--timeout", nil, nil, .effect(["--timeout", "0.1"], prepare: .slow)),
        .init("--verbose", nil, nil, .effect(["--verbose"])),
        .init("--ca-file", nil, nil, .shown(by: "ErrorLineTests.certificates")),
        // A check sends one request for each line, so --rate matters only if several lines have the same token.
        .init("--rate", nil, ["check"], .shown(by: "ExportLimitsTests.rate")),
        .init("--rate", nil, nil, .effect(["--rate", "1"], with: ["--wait", "0"])),
        .init("--wait", nil, nil, .shown(by: "SyncOperationTests.wait")),
        .init("--quiet", nil, nil, .effect(["--quiet"])),
        .init("--accept-unreadable", nil, ["check"], .refused(["--accept-unreadable"])),
        .init("--accept-unreadable", "export", nil, .shown(by: "ExportRunTests.unreadable")),
        .init(
            "--accept-unreadable", nil, ["accounts"], .shown(by: "SyncOperationTests.unreadable")),
        .init("--accept-unreadable", nil, nil, .shown(by: "SyncOperationTests.own")),
        .init("--in-flight", nil, nil, .shown(by: "ExportLimitsTests.parked")),
        .init("--total-rate", nil, nil, .shown(by: "NightTests.nights")),
        .init("--outage-wait", nil, nil, .shown(by: "ExportLimitsTests.back")),
        .init("--shard", nil, nil, .effect(["--shard", "1/2"])),
        .init("--metrics", nil, ["check"], .refused(["--metrics", "@/m.prom"])),
        .init("--metrics", nil, nil, .effect(["--metrics", "@/m.prom"])),
        .init("--log", nil, nil, .effect(["--log", "json"])),
        .init("--accept-errors", nil, nil, .effect(["--accept-errors"], prepare: .refuses)),
        .init("--accept-empty", nil, nil, .effect(["--accept-empty"], prepare: .empty)),
    ]

    private static let signIn: [OptionRow] =
        [
            .init("--mydatahelps", "login", ["mydatahelps"], .selects),
            .init("--mydatahelps", "login", ["browser"], .shown(by: "SignInTests.uselessOptions")),
            .init("--client-id", "login", ["browser"], .selects),
            .init("--client-id", "login", ["mydatahelps"], .refused(["--client-id", "%"])),
            .init("--client-id", "login", nil, .effect(["--client-id", "%"])),
            .init("--redirect", "login", ["browser"], .selects),
            .init("--read-only", "login", ["browser"], .effect(["--read-only"])),
            .init("--password", "login", ["pasted"], .shown(by: "SignInTests.password")),
            .init("--yes", "login", nil, .shown(by: "SignInTests.otherAccount")),
            .init("--timeout", "login", ["browser"], .effect(["--timeout", "0.001"])),
            .init("--only", "logout", nil, .effect(["--only", "exist"])),
        ] + effective("login", "--mydatahelps")
        + refused("login", nil, "--redirect=http://127.0.0.1:0/", "--read-only", "--password")

    private static let participants =
        shown(
            "participants", by: "ReadTokensTests.participants",
            "--json", "--jsonl", "--csv", "--plain", "--verbose", "--service-account", "--key", "--project", "--search",
            "--segment", "--accounts")
        + shown("participants", by: "OptionTableTests.demo", "--timeout")
        + shown("participants", by: "ReadTokensTests.signature", "--key-env")

    private static let deviceData =
        shown(
            "device-data", by: "DeviceDataV2CommandTests.command", "--v2",
            "--participant", "--service-account", "--key", "--project")
        + shown("device-data", by: "ReadTokensTests.signature", "--key-env")

    private static let others: [OptionRow] =
        effective(
            nil, "--json", "--jsonl", "--csv", "--plain", "--all", "--answers", "--take-over", "--mydatahelps",
            "--days=3", "--type=rating", "--week=\(week)", "--month=\(month)")
        + effective("attributes", "--from=\(ago(9))", "--through=\(ago(17))")
        + effective("create", "--group=health") + effective(nil, "--group=sleep")
        + shown("set", by: "BulkWritingTests.dryRun", "--dry-run")
        + shown("set", by: "WaitNoticeTests.bounded", "--wait")
        + shown("increment", by: "WaitNoticeTests.bounded", "--wait")
        + refused("set", nil, "--from=-") + refused(nil, nil, "--start-line=3", "--skip-unreadable")
        + shown("check", by: "CheckCommandTests.markers", "--report")
        + shown("check", by: "CheckCommandTests.sandbox", "--writes")
        + refused("check", nil, "--yes")
        + shown(
            "check", by: "CheckCommandTests.serviceAccount", "--service-account", "--project", "--key",
            "--key-env")
        + shown("forget", by: "ForgetCommandTests.erased", "--database", "--results")
        + shown("forget", by: "ForgetCommandTests.repeated", "--verify")
        + shown("forget", by: "ForgetCommandTests.reader", "--lock-wait")
        + shown("forget", by: "ForgetCommandTests.refused", "--service")
        + shown("sandbox", by: "SandboxCommandTests.taken", "--port")
        + shown("sandbox", by: "SandboxCommandTests.listens", "--listen")
        + shown("sandbox", by: "SandboxCommandTests.serves", "--accounts", "--accounts-file")
        + shown("sandbox", by: "SandboxCommandTests.faults", "--faults")
        + shown("sandbox", by: "SandboxCommandTests.delays", "--latency", "--limit") + [
            .init("--on", nil, nil, .effect(["--on", ago(17)], with: ["--take-over"]))
        ]
}
