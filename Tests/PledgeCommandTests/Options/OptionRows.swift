import ExistKit
import Foundation

@testable import PledgeCommand

extension OptionTable {
    // The rows for one command come before the rows for all commands, because the first row that fits counts.
    static let rows = all.filter { $0.command != nil } + all.filter { $0.command == nil }
    private static let all = report + sync + export + signIn + account + participants + deviceData + others

    private static let own = ["environment", "profile", "demo"]

    /// Returns the day that is this number of days before today. `week` and `month` contain such days.
    private static func ago(_ days: Int) -> String { "\(ExistDay.today.advanced(by: -days))" }
    private static let week: String = {
        let week = Calendar(identifier: .iso8601).dateComponents(
            [.yearForWeekOfYear, .weekOfYear], from: Date() - 50 * 86_400)
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

    /// Returns rows for options whose effect is shown by the test with this title.
    private static func shown(_ command: String, by title: String, _ options: String...) -> [OptionRow] {
        options.map { OptionRow($0, command, nil, .shown(by: title)) }
    }

    private static func name(_ word: String) -> String { String(word.prefix { $0 != "=" }) }

    private static let report: [OptionRow] =
        refused("report", ["database"], "--profile=other", "--timeout=3", "--verbose", "--ca-file=@/ca.pem") + [
            .init("--demo", "report", ["database"], .refused(["--demo"])),
            .init("--database", "report", ["database"], .selects),
            .init("--database", "report", nil, .effect(["--database", "@/own.db"], prepare: .database)),
            .init("--account", "report", own, .refused(["--account", "maya"])),
            .init("--year", "report", own, .shown(by: "A mistake on the command line is explained in one line,…")),
            .init("--all", "report", ["database"], .shown(by: "A month is drawn by day, a year by week, and…")),
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
            .init("--database", "sync", own, .shown(by: "A mistake on the command line is explained in one line,…")),
            .init("--overlap", "sync", ["demo"], .shown(by: "The first sync reads the whole history; a second one…")),
            .init("--overlap", "sync", nil, .effect(["--overlap", "3"], prepare: .earlierRun)),
            .init(
                "--full", "sync", ["demo"], .effect(["--full", "--verbose"], with: ["--verbose"], prepare: .earlierRun)),
            .init("--full", "sync", nil, .effect(["--full"], prepare: .earlierRun)),
            .init("--full-every", "sync", nil, .shown(by: "With `fullEvery`, each account's whole history is…")),
            .init("--lock-wait", "sync", nil, .shown(by: "A history waits for another program's lock up to…")),
            .init("--accept-removals", "sync", nil, .shown(by: "If many values are missing, each sync reports…")),
            .init("--accept-identity", "sync", nil, .shown(by: "If an account's token belongs to another person,…")),
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
            .init("--retry", "export", nil, .shown(by: "`--resume` repeats temporary errors, `--retry`…")),
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
        .init("--timeout", nil, ["demo"], .shown(by: "--timeout also applies to the demo's clients")),
        .init("--timeout", nil, nil, .effect(["--timeout", "0.1"], prepare: .slow)),
        .init("--verbose", nil, nil, .effect(["--verbose"])),
        .init("--ca-file", nil, nil, .shown(by: "With --ca-file, a file's certificates replace…")),
        // A check sends one request for each line, so --rate matters only if several lines have the same token.
        .init("--rate", nil, ["check"], .shown(by: "`--rate` applies to a token, not a line; an account…")),
        .init("--rate", nil, nil, .effect(["--rate", "1"], with: ["--wait", "0"])),
        .init("--wait", nil, nil, .shown(by: "--wait limits how long a sync waits, both for…")),
        .init("--quiet", nil, nil, .effect(["--quiet"])),
        .init("--accept-unreadable", nil, ["check"], .refused(["--accept-unreadable"])),
        .init("--accept-unreadable", "export", nil, .shown(by: "\(unreadable), also when the run is resumed")),
        .init(
            "--accept-unreadable", nil, ["accounts"], .shown(by: "\(unreadable), even with --quiet, unless…")),
        .init("--accept-unreadable", nil, nil, .shown(by: "Unreadable items of your own account are reported…")),
        .init("--in-flight", nil, nil, .shown(by: "While accounts wait for a rate limit, other…")),
        .init("--total-rate", nil, nil, .shown(by: "In every simulated night, each account has one…")),
        .init("--outage-wait", nil, nil, .shown(by: "If a service comes back in time, the job continues and…")),
        .init("--shard", nil, nil, .effect(["--shard", "1/2"])),
        .init("--metrics", nil, ["check"], .refused(["--metrics", "@/m.prom"])),
        .init("--metrics", nil, nil, .effect(["--metrics", "@/m.prom"])),
        .init("--log", nil, nil, .effect(["--log", "json"])),
        .init("--accept-errors", nil, nil, .effect(["--accept-errors"], prepare: .refuses)),
        .init("--accept-empty", nil, nil, .effect(["--accept-empty"], prepare: .empty)),
    ]
    private static let unreadable = "Unreadable items are reported and counted, and lead to exit code 4"

    private static let signIn: [OptionRow] =
        [
            .init("--mydatahelps", "login", ["mydatahelps"], .selects),
            .init("--mydatahelps", "login", ["browser"], .shown(by: "If an option of `pledge login` has no effect,…")),
            .init("--client-id", "login", ["browser"], .selects),
            .init("--client-id", "login", ["mydatahelps"], .refused(["--client-id", "%"])),
            .init("--client-id", "login", nil, .effect(["--client-id", "%"])),
            .init("--redirect", "login", ["browser"], .selects),
            .init("--read-only", "login", ["browser"], .effect(["--read-only"])),
            .init("--password", "login", ["pasted"], .shown(by: "A user name and a password are exchanged for…")),
            .init("--yes", "login", nil, .shown(by: "A stored account is replaced by a different…")),
            .init("--timeout", "login", ["browser"], .effect(["--timeout", "0.001"])),
            .init("--only", "logout", nil, .effect(["--only", "exist"])),
        ] + effective("login", "--mydatahelps")
        + refused("login", nil, "--redirect=http://127.0.0.1:0/", "--read-only", "--password")

    private static let participants =
        shown(
            "participants", by: "`pledge participants` lists and searches a project's participants,…",
            "--json", "--jsonl", "--csv", "--plain", "--verbose", "--service-account", "--key", "--project", "--search",
            "--segment", "--accounts")
        + shown("participants", by: "--timeout also applies to the demo's clients", "--timeout")
        + shown("participants", by: "A key in a file or a variable makes valid RS256…", "--key-env")

    private static let deviceData =
        shown(
            "device-data", by: "`pledge device-data --v2` lists a participant's data points with…", "--v2",
            "--participant", "--service-account", "--key", "--project")
        + shown("device-data", by: "A key in a file or a variable makes valid RS256…", "--key-env")

    private static let others: [OptionRow] =
        effective(
            nil, "--json", "--jsonl", "--csv", "--plain", "--all", "--answers", "--take-over", "--mydatahelps",
            "--days=3", "--type=rating", "--week=\(week)", "--month=\(month)")
        + effective("attributes", "--from=\(ago(9))", "--through=\(ago(17))")
        + effective("create", "--group=health") + effective(nil, "--group=sleep")
        + shown("set", by: "A dry run shows what would be stored, replaced, and acquired, and…", "--dry-run")
        + shown("set", by: "`set` and `increment` announce each wait, and fail if…", "--wait")
        + shown("increment", by: "`set` and `increment` announce each wait, and fail if…", "--wait")
        + refused("set", nil, "--from=-") + refused(nil, nil, "--start-line=3", "--skip-unreadable")
        + shown("check", by: "A check's report has no values of the account, even…", "--report")
        + shown("check", by: "A check of the sandbox finds no difference, sends at most…", "--writes")
        + refused("check", nil, "--yes")
        + shown(
            "check", by: "A check with a service account's key reads…", "--service-account", "--project", "--key",
            "--key-env")
        + shown("forget", by: "An account is erased from the database and the results,…", "--database", "--results")
        + shown("forget", by: "Repeating `forget` also erases what an interrupted run left,…", "--verify")
        + shown("forget", by: "If another program reads the database, `forget` erases…", "--lock-wait")
        + shown("forget", by: "If a name exists in both services, or a file isn't one…", "--service")
        + shown("sandbox", by: "A sandbox fails with a one-line error if its port is…", "--port")
        + shown("sandbox", by: "A sandbox with --listen has new tokens at each start,…", "--listen")
        + shown("sandbox", by: "The sandbox reports its address, accepts…", "--accounts", "--accounts-file")
        + shown("sandbox", by: "Faults occur at the requested rates, and are the same for…", "--faults")
        + shown("sandbox", by: "The sandbox delays its responses and limits each token…", "--latency", "--limit") + [
            .init("--on", nil, nil, .effect(["--on", ago(17)], with: ["--take-over"]))
        ]
}
