import ExistKit
import Foundation

extension ExportCommand {
    // What is requested.
    static let days = Option.number(
        "--days", "N", 1...36_500, "days of values and insights, back from today or from --through", usual: "7")
    static let from = Option.day("--from", "the first day instead")
    static let through = Option.day("--through", "the last day", usual: "the day on which the run began")
    static let sections = Option<Set<ExportOptions.Section>>.value(
        "--sections", "NAMES", "names with commas between them",
        "only these, with commas between: profile, attributes, averages, correlations, insights; participant, project, "
            + "devicedata, tasks, answers. Of a service not named, all"
    ) { try ExportOptions.sections($0) }
    static let correlations = Option<ExportOptions.Correlations>.choice(
        "--correlations", ["all": .all, "strong": .strong], "which correlations", usual: "all")
    static let shard = Option<Shard>.value(
        "--shard", "I/N", "a part such as 0/8, counted from 0",
        "only the part I of N, counted from 0: the same accounts on every machine"
    ) { Shard($0) }
    static let checkOnly = Option.flag("--check", "ask for each account's profile only, and show what would fail")

    // Where it is written.
    static let output = Option.file(
        "--output", "write results there; FILE must not have any yet, unless --resume is said")
    static let format = Option<[String]>.value(
        "--format", "csv", "“jsonl” or “csv”",
        "also write tables beside FILE: values, averages, correlations, insights, tasks, answers. Text that a spreadsheet "
            + "would run as a formula has an apostrophe in front there"
    ) { text in
        let words = text.split(separator: ",").map(String.init)
        return !words.isEmpty && Set(words).isSubset(of: ["jsonl", "csv"]) ? words : nil
    }
    static let resume = Option.flag(
        "--resume",
        "go on after whatever ended an earlier run: accounts with a line are not done again, but for those whose error "
            + "may be over (\(AccountError.passingKinds.sorted().joined(separator: ", ")), and replies that were cut off)"
    )
    static let retry = Option<ExportOptions.Retried>.value(
        "--retry", "KINDS", "kinds of errors, or “all”",
        "with --resume: do accounts again with these kinds of errors instead; “all” for every kind"
    ) { try ExportOptions.retried($0) }
    static let adopt = Option.flag("--adopt", "with --resume: take over results that have no FILE.run beside them")

    // How the batch works.
    static let inFlight = Option.number(
        "--in-flight", "N", 1...1000, "accounts at work at a time; those that wait do not count", usual: "16")
    static let rate = Option.number(
        "--rate", "N", 1...1_000_000, "requests an hour for each token",
        usual: "300 for Exist; MyDataHelps tells its limit itself")
    static let totalRate = Option.number(
        "--total-rate", "N", 1...100_000_000, "requests an hour for the whole process, evenly spaced",
        usual: "any number")
    static let wait = Option.seconds(
        "--wait", 0...86_400, "how long an account may wait for limits, in all", usual: "3600")
    static let outageWait = Option.seconds(
        "--outage-wait", 0...86_400, "how long to wait for a service that is down", usual: "900")

    // What is reported.
    static let quiet = Option.flag("--quiet", "no progress and no summary")
    static let log = Option<Bool>.choice(
        "--log", ["text": false, "json": true], "each event in words, or as a line of JSON, on standard error",
        usual: "text")
    static let summary = Option.file("--summary", "figures at the end, as JSON")
    static let metrics = Option.file("--metrics", "figures for a textfile collector of Prometheus, every ten seconds")
    static let acceptErrors = Option.flag(
        "--accept-errors", "exit code 0 instead of 2, for platforms that take any other for a failure")

    static let command = Command(
        name: "export", summary: "the data of many accounts, a line of JSON for each", part: .machines,
        operands: .init(form: "[accounts.jsonl]", count: 0...1, completes: .files),
        options: [
            days, from, through, sections, correlations, shard, checkOnly, output, format, resume, retry, adopt,
            inFlight,
            rate, totalRate, wait, outageWait, Access.timeout, Access.transport, quiet, log, summary, metrics,
            acceptErrors,
        ],
        examples: [
            .init("pledge export accounts.jsonl --check", "what would fail, before the night"),
            .init(
                "pledge export accounts.jsonl --output results.jsonl --resume",
                "begins, or goes on where an earlier run ended"),
            .init(
                "pledge export accounts.jsonl --output results.jsonl --resume --retry unauthorized",
                "only those whose tokens are new"),
        ],
        notes: [input, lines, files, codes]
    ) { arguments in
        try ExportCommand(options: ExportOptions(arguments), environment: arguments.environment).run()
    }

    private static let input = Command.Note(
        title: "INPUT, a line for each account",
        text: """
            Without a file, or with -, accounts come from standard input.
            {"service":"exist","account":"NAME","token":"TOKEN"}
            {"service":"mydatahelps","account":"NAME","token":"TOKEN"}
            NAME is yours to choose, and names the result. TOKEN may also be {"env":"VARIABLE"} or {"file":"PATH"}.
            A simple token of Exist has "kind":"simple" beside it. Other members are left alone.
            """)

    private static let lines = Command.Note(
        title: "OUTPUT, a line for each account",
        text: """
            {"service":"exist","account":"NAME","profile":…,"values":[…],"attributes":[…],"averages":[…],…}
            {"service":"mydatahelps","account":"NAME","participant":…,"project":…,"values":[…],"tasks":[…],…}
            {"service":"exist","account":"NAME","error":{"kind":"unauthorized","status":401,"message":"…"},…}
            """)

    private static let files = Command.Note(
        title: "FILES",
        text: """
            What is made is for you alone (mode 600), figures for Prometheus excepted; a file that was there keeps its
            mode and its owner. FILE may be a link to where the results are; tables are never written through one.
            FILE.run remembers the options of a run, so that --resume asks for the same.
            """)

    private static let codes = Command.Note(
        title: "EXIT CODES",
        text: """
            0 every account has a result    2 some accounts failed, or some lines could not be read
            3 stopped because a service is down; accounts that are not done have no line    130 it was interrupted
            1 it could not go on: a full disk, results that were moved away    64 the command line made no sense
            """)
}
