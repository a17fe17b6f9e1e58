import Testing

@testable import PledgeCommand

@Suite("Mistakes on the command line")
struct UsageTests {
    @Test(
        "A mistake on the command line is explained in one line, with exit code 64",
        arguments: [
            ("reprot", "no command “reprot”. Did you mean “report”?"),
            ("report --jsno", "has no option “--jsno”. Did you mean “--json”?"),
            ("report --entirely-else", "has no option “--entirely-else”. Try"), ("report -j", "has no option “-j”."),
            ("report --days", "--days needs a number"), ("report --days --json", "--days needs a number"),
            ("attributes --days 0", "from 1 to 3660, not “0”"),
            ("report json", "Did you mean “--json”?"), ("report --json=yes", "takes no value"),
            ("report --html", "--html needs a file"), ("report --html=", "was given an empty name"),
            ("report --timeout soon", "number of seconds"),
            ("forget --service magic", "“exist” or “mydatahelps”"), ("get", "Did you mean “attributes”?"),
            ("week", "“report”"), ("tag", "“set”"), ("values", "“attributes”"), ("auth", "“login”"),
            ("signin", "“login”"), ("set", "needs NAME=VALUE, or --from FILE"),
            ("set a=1 --days 2 --on 2026-01-01", "omit one"), ("set a=1 --on 2026-01-02..2026-01-01", "days such as"),
            ("set --from - --on 2026-01-01", "omit NAME=VALUE"), ("attributes --days 3 --month 2026-01", "omit one"),
            ("create x --type magic", "“time-of-day”"), ("create x --type ratign", "Did you mean “rating”?"),
            ("report --plain --html -", "omit one"),
            ("report --plain --json", "omit one"), ("report --all --json", "applies to text"),
            ("login --client-id x --redirect http://other.example/cb", "takes an address"),
            ("login --password hunter2", "takes no argument."), ("profile --ca-file /nowhere", "needs a PEM file"),
            ("report --json --html -", "standard output"), ("report --days 32", "31 days at most"),
            ("report --days 3 --from 2026-01-01", "omit one"),
            ("report --from 2026-02-01 --through 2026-01-01", "swap them"),
            ("report --from 2020-01-01 --through 2020-03-01", "31 days at most"),
            ("report --week 2026-W54", "a week such as 2026-W40"),
            ("report --year 2020", "31 days at most"), ("report --year 2025", "create a database with “pledge sync”"),
            ("report --database a.db --month 2026-13", "a month such as 2026-10"),
            ("report --database a.db --year 26", "a year such as 2026"),
            ("report --database a.db --month 2026-10 --year 2026", "--month and --year select different days"),
            ("accounts --json --csv", "omit one"), ("set mood=3 --jsonl --csv", "omit one"),
            ("set mood=3 --on 2026-01-01 --on 2026-01-02", "--on is given twice"),
            ("attributes --day 3", "Did you mean “--days”?"), ("export --resume", "--resume requires --output"),
            ("export --retry all --output x", "--retry requires --resume"),
            ("export --retry some --resume --output x", "no kind of error “some”"),
            ("export --retry , --resume --output x", "needs a kind of error"),
            ("export --shard 3/3", "such as 0/8"), ("export --sections ,", "needs a section"),
            ("export --sections steps", "no section “steps”"),
            ("export --from 2026-02-30", "a day such as"),
            ("export --from 2026-02-02 --through 2026-02-01", "swap them"), ("export a b", "“b” is too many"),
            ("sync", "“pledge help sync”"), ("sync a.db b.db", "“pledge help sync”"),
            ("sync accounts.jsonl", "“pledge help sync”"), ("sync a.db --overlap=x", "“pledge help sync”"),
            ("sync --database=/tmp/never.db", "“pledge help sync”"), ("sandbox --faults 503", "shares such as"),
            ("sandbox --faults 418=0.1", "no fault “418”"), ("sandbox --faults all=0.9,drop=0.9", "more than 1"),
            ("sandbox now", "takes no argument."),
        ])
    func mistakes(line: String, words: String) async throws {
        let run = try await Tool.run(line, exits: 64)
        #expect(run.output.isEmpty && run.errors.split(separator: "\n").count == 1)
        let page = (try? CommandTable.find(line.words[0])).map { " \($0.name)" } ?? ""
        #expect(run.errors.contains(words) && run.errors.hasSuffix(" Try “pledge help\(page)”.\n"), "\(run.errors)")
    }

    @Test(
        "A report of days in the future is refused",
        arguments: ["from 9000-01-01", "through 9000-01-01", "week 9000-W01", "month 9000-01"])
    func future(days: String) async throws {
        try await Tool.run("report --\(days)", exits: 64, saying: "is in the future")
    }

    @Test(
        "Help and the version are printed on request",
        arguments: [
            ("", "EXIST_TOKEN"), ("help", "EXIST_TOKEN"), ("--help", "EXIST_TOKEN"), ("report --help", "--profile"),
            ("help report", "--profile"), ("sandbox --help", "--faults"), ("export --help", "--resume"),
            ("export --help", "--shard"), ("export --help", #"{"env":"VARIABLE"}"#), ("export --help", "EXIT CODES"),
            ("export --help", "130"), ("-V", "pledge 1"), ("--version", "pledge 1"),
        ])
    func help(line: String, words: String) async throws {
        let run = try await Tool.run(line)
        #expect(run.output.contains(words) && run.errors.isEmpty)
    }
}
