import ExistKit
import Foundation

@testable import PledgeCommand

extension OptionTable {
    // Those of a command come before those of all.
    static let rows = all.filter { $0.command != nil } + all.filter { $0.command == nil }
    private static let all = report + sync + export + signIn + account + ofParticipants + alone + others

    private static let own = ["environment", "profile", "demo"]

    /// A day before today, and the week or the month that it is in.
    private static func ago(_ days: Int) -> String { "\(ExistDay.today.advanced(by: -days))" }
    private static let week: String = {
        let week = Calendar(identifier: .iso8601).dateComponents(
            [.yearForWeekOfYear, .weekOfYear], from: Date() - 50 * 86_400)
        return String(format: "%d-W%02d", week.yearForWeekOfYear ?? 0, week.weekOfYear ?? 0)
    }()
    private static let month = String(ago(40).prefix(7))

    private static let report: [OptionRow] = [
        .init("--profile", "report", ["database"], .refused(["--profile", "other"])),
        .init("--timeout", "report", ["database"], .refused(["--timeout", "3"])),
        .init("--verbose", "report", ["database"], .refused(["--verbose"])),
        .init("--no-demo", "report", ["database"], .holds(["--no-demo"])),
        .init("--database", "report", ["database"], .selects),
        .init("--database", "report", nil, .effect(["--database", "@/own.db"], prepare: .database)),
        .init("--account", "report", own, .refused(["--account", "maya"])),
        .init("--account", "report", nil, .effect(["--account", "another"])),
        .init("--year", "report", own, .shown(by: "are explained in one line, with exit code 64")),
        .init("--year", "report", nil, .effect(["--year", String(ago(400).prefix(4))])),
        .init("--days", "report", nil, .effect(["--days", "3"])),
        .init("--week", "report", nil, .effect(["--week", week])),
        .init("--month", "report", nil, .effect(["--month", month])),
        .init("--from", "report", nil, .effect(["--from", ago(9)])),
        .init("--through", "report", nil, .effect(["--through", ago(17)])),
        .init(
            "--all", "report", ["database"],
            .shown(by: "A month is drawn by day, a year by week, and more by month, as text and as a page")),
        .init("--html", "report", nil, .effect(["--html", "@/page.html"])),
        .init("--mydatahelps", "report", nil, .effect(["--mydatahelps"])),
    ]

    private static let accountsOnly = [
        "--in-flight", "--total-rate", "--outage-wait", "--shard", "--only", "--retry", "--check", "--metrics", "--log",
        "--accept-errors", "--accept-empty",
    ]
    private static let values = [
        "--in-flight": "3", "--total-rate": "100", "--outage-wait": "3", "--shard": "0/2", "--only": "a1",
        "--retry": "all", "--metrics": "@/m.prom", "--log": "json",
    ]

    private static let sync: [OptionRow] =
        accountsOnly.map { .init($0, "sync", own, .refused([$0] + (values[$0].map { [$0] } ?? []))) } + [
            .init("--database", "sync", ["accounts", "check"], .selects),
            .init("--database", "sync", own, .shown(by: "are explained in one line, with exit code 64")),
            .init("--profile", "sync", ["accounts", "check"], .refused(["--profile", "other"])),
            .init("--no-demo", "sync", ["accounts", "check"], .refused(["--no-demo"])),
            .init("--overlap", "sync", ["check"], .refused(["--overlap", "3"])),
            .init(
                "--overlap", "sync", ["demo"],
                .shown(
                    by:
                        "The first sync reads the whole history; a second one without changes takes at most eight requests"
                )),
            .init("--overlap", "sync", nil, .effect(["--overlap", "3"], prepare: .earlierRun)),
            .init("--full", "sync", ["check"], .refused(["--full"])),
            .init(
                "--full", "sync", ["demo"], .effect(["--full", "--verbose"], with: ["--verbose"], prepare: .earlierRun)),
            .init("--full", "sync", nil, .effect(["--full"], prepare: .earlierRun)),
            .init("--full-every", "sync", ["check"], .refused(["--full-every", "3"])),
            .init(
                "--full-every", "sync", nil,
                .shown(
                    by:
                        "Every so many days, a sync reads everything again by itself, the accounts in turns, and finds what was filled in"
                )),
            .init("--lock-wait", "sync", ["check"], .refused(["--lock-wait", "3"])),
            .init(
                "--lock-wait", "sync", nil,
                .shown(
                    by:
                        "SQLite is told how long to wait for another program's lock: ten seconds unless specified, and at most a day"
                )),
            .init("--accept-removals", "sync", ["check"], .refused(["--accept-removals"])),
            .init(
                "--accept-removals", "sync", nil,
                .shown(by: "More than a small part is not marked until that is accepted, and each sync says so")),
            .init("--accept-identity", "sync", ["check"], .refused(["--accept-identity", "a1"])),
            .init(
                "--accept-identity", "sync", nil,
                .shown(
                    by:
                        "A token of someone else is an error of its account, which is not changed until it is accepted by name"
                )),
            .init("--only", "sync", nil, .effect(["--only", "a1"])),
            .init("--retry", "sync", nil, .effect(["--retry", "all"], prepare: .earlierRun)),
            .init("--check", "sync", ["check"], .selects),
            .init("--check", "sync", nil, .effect(["--check"])),
            .init("--accept-errors", "sync", ["accounts"], .effect(["--accept-errors"], prepare: .forbidden)),
            .init("--rate", "sync", ["demo"], .effect(["--rate", "2"], with: ["--wait", "0"])),
        ]

    private static let export: [OptionRow] =
        ["--days=3", "--from=\(ago(26))", "--through=\(ago(17))", "--sections=insights"]
        .flatMap { word -> [OptionRow] in
            let name = String(word.prefix { $0 != "=" })
            return [.init(name, "export", ["check"], .refused([word])), .init(name, "export", nil, .effect([word]))]
        } + [
            .init("--output", "export", ["check"], .refused(["--output=@/r.jsonl"])),
            .init("--output", "export", nil, .effect(["--output=@/r.jsonl"])),
            .init("--resume", "export", ["check"], .refused(["--resume"])),
            .init(
                "--resume", "export", nil, .effect(["--resume"], with: ["--output", "@/r.jsonl"], prepare: .earlierRun)),
            .init("--retry", "export", ["check"], .refused(["--retry=all"])),
            .init(
                "--retry", "export", nil,
                .shown(
                    by:
                        "`--resume` repeats temporary errors, `--retry` others, and neither touches accounts not in the input"
                )),
            .init("--check", "export", ["check"], .selects),
            .init("--check", "export", nil, .effect(["--check"])),
            .init("--accept-errors", "export", ["file", "pipe"], .effect(["--accept-errors"], prepare: .forbidden)),
        ]

    /// What commands have in common that use an account, or many.
    private static let account: [OptionRow] = [
        .init("--profile", nil, nil, .effect(["--profile", "other"])),
        .init("--no-demo", nil, ["environment", "profile"], .holds(["--no-demo"])),
        .init("--no-demo", nil, ["demo"], .effect(["--no-demo"])),
        .init("--timeout", nil, ["demo"], .shown(by: "reaches the demo's clients, too")),
        .init("--timeout", nil, nil, .effect(["--timeout", "0.1"], prepare: .slow)),
        .init("--verbose", nil, nil, .effect(["--verbose"])),
        .init("--ca-file", "report", ["database"], .refused(["--ca-file", "@/ca.pem"])),
        .init("--ca-file", nil, nil, .shown(by: "A file of certificates replaces the system's, or is refused")),
        // A check sends one request for each line, so this matters if several have the same token.
        .init(
            "--rate", nil, ["check"],
            .shown(
                by: "`--rate` limits a token, not a line, and `--wait` fails at once if the wait would be too long")),
        .init("--rate", nil, nil, .effect(["--rate", "1"], with: ["--wait", "0"])),
        .init(
            "--wait", nil, nil,
            .shown(by: "A wait for the limit is bounded in the same way for your own account and for many")),
        .init("--quiet", nil, nil, .effect(["--quiet"])),
        .init("--accept-unreadable", nil, ["check"], .refused(["--accept-unreadable"])),
        .init(
            "--accept-unreadable", "export", nil,
            .shown(
                by:
                    "Items that cannot be read are told, counted, and an exit code of their own, also when the run is resumed"
            )),
        .init(
            "--accept-unreadable", nil, ["accounts"],
            .shown(
                by:
                    "Items that cannot be read are told, counted, and an exit code of their own, even in quiet mode, until accepted"
            )),
        .init(
            "--accept-unreadable", nil, nil, .shown(by: "Of your own account, they are told and an exit code as well")),
        .init(
            "--in-flight", nil, nil,
            .shown(by: "Eight accounts that wait for a limit leave their eight places to others")),
        .init(
            "--total-rate", nil, nil,
            .shown(
                by: "Whatever happens, every account has one line or is left for the next run, and no limit is exceeded"
            )),
        .init(
            "--outage-wait", nil, nil,
            .shown(by: "If a service comes back in time, the job continues and exports all accounts")),
        .init("--shard", nil, nil, .effect(["--shard", "1/2"])),
        .init("--metrics", nil, ["check"], .refused(["--metrics", "@/m.prom"])),
        .init("--metrics", nil, nil, .effect(["--metrics", "@/m.prom"])),
        .init("--log", nil, nil, .effect(["--log", "json"])),
        .init("--accept-errors", nil, nil, .effect(["--accept-errors"], prepare: .refuses)),
        .init("--accept-empty", nil, nil, .effect(["--accept-empty"], prepare: .empty)),
    ]

    private static let password = "A user name and a password get a read-only token, and only that is stored"
    private static let useless = "An option without effect is an error before the tool asks for a token"
    private static let signIn: [OptionRow] = [
        .init("--mydatahelps", "login", ["mydatahelps"], .selects),
        .init("--mydatahelps", "login", ["browser"], .shown(by: useless)),
        .init("--mydatahelps", "login", nil, .effect(["--mydatahelps"])),
        .init("--client-id", "login", ["browser"], .selects),
        .init("--client-id", "login", ["mydatahelps"], .refused(["--client-id", "%"])),
        .init("--client-id", "login", nil, .effect(["--client-id", "%"])),
        .init("--redirect", "login", ["browser"], .selects),
        .init("--redirect", "login", nil, .refused(["--redirect", "http://127.0.0.1:0/"])),
        .init("--read-only", "login", ["browser"], .effect(["--read-only"])),
        .init("--read-only", "login", nil, .refused(["--read-only"])),
        .init("--password", "login", ["pasted"], .shown(by: password)),
        .init("--password", "login", nil, .refused(["--password"])),
        .init(
            "--yes", "login", nil,
            .shown(by: "A stored account is not replaced by another without a confirmation")),
        .init("--timeout", "login", ["browser"], .effect(["--timeout", "0.001"])),
        .init("--only", "logout", nil, .effect(["--only", "exist"])),
    ]

    private static let ofParticipants = [
        "--json", "--jsonl", "--csv", "--plain", "--verbose", "--service-account", "--key", "--project", "--search",
        "--segment", "--accounts",
    ].map { OptionRow($0, "participants", nil, .shown(by: participants)) }
    private static let alone = [
        "--json", "--jsonl", "--csv", "--plain", "--all", "--answers", "--take-over", "--mydatahelps",
    ].map { OptionRow($0, nil, nil, .effect([$0])) }

    private static let others: [OptionRow] = [
        .init("--timeout", "participants", nil, .shown(by: "reaches the demo's clients, too")),
        .init("--days", nil, nil, .effect(["--days", "3"])),
        .init("--on", nil, nil, .effect(["--on", ago(17)], with: ["--take-over"])),
        .init("--from", "set", nil, .refused(["--from", "-"])),
        .init("--start-line", nil, nil, .refused(["--start-line", "3"])),
        .init("--skip-unreadable", nil, nil, .refused(["--skip-unreadable"])),
        .init("--type", nil, nil, .effect(["--type", "rating"])),
        .init("--group", "create", nil, .effect(["--group", "health"])),
        .init("--group", nil, nil, .effect(["--group", "sleep"])),
        .init("--week", nil, nil, .effect(["--week", week])),
        .init("--month", nil, nil, .effect(["--month", month])),
        .init("--from", "attributes", nil, .effect(["--from", ago(9)])),
        .init("--through", "attributes", nil, .effect(["--through", ago(17)])),
        .init("--key-env", nil, nil, .shown(by: keys)),
        .init("--database", "forget", nil, .shown(by: erasure)),
        .init("--results", "forget", nil, .shown(by: erasure)),
        .init("--verify", "forget", nil, .shown(by: repeated)),
        .init(
            "--lock-wait", "forget", nil,
            .shown(by: "With a reader in the way, everyone is erased and said, and the same command then ends it")),
        .init(
            "--service", "forget", nil,
            .shown(by: "Nothing is changed if a name is in both services, or if a file is not one of ours")
        ),
        .init(
            "--port", "sandbox", nil,
            .shown(by: "A port in use is explained in one line, and the sandbox ends with the program that started it")
        ),
        .init(
            "--listen", "sandbox", nil,
            .shown(by: "A sandbox that others can reach has its own tokens at each start")),
        .init("--accounts", "sandbox", nil, .shown(by: serves)),
        .init("--accounts-file", "sandbox", nil, .shown(by: serves)),
        .init(
            "--faults", "sandbox", nil,
            .shown(by: "Faults occur at the requested rates, and are the same for the same seed")),
        .init("--latency", "sandbox", nil, .shown(by: delays)), .init("--limit", "sandbox", nil, .shown(by: delays)),
    ]
    private static let participants =
        "The participants of a project are listed and searched, and written as accounts, whose data can be read"
    private static let keys =
        "A signature is RS256 of the key in a file or a variable, with line ends as JSON has them, or indented"
    private static let repeated =
        "Erasing does not depend on what is still there: what an earlier run has not reached is erased, and said"
    private static let erasure =
        "An account is erased from database and results, which keep everything of the others"
    private static let serves = "The sandbox reports its address, accepts every account, and ends with an interrupt"
    private static let delays = "The sandbox delays its replies and limits each token as its options say"
}
