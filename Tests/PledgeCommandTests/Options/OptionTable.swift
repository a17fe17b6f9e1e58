import PledgeSandbox

@testable import PledgeCommand

/// A kind of input of a command: what it is run with, besides the option that is tested. `@` is the folder of the
/// run, and `%` the sandbox's client.
struct Situation: Sendable {
    enum Account { case none, environment, profile }

    var name: String
    var words: [String]
    var account = Account.none
    /// Whether standard input has the accounts of a batch.
    var isPipe = false
    /// Whether the command changes what the service has, so that each run needs a service of its own.
    var writes = false
}

/// What becomes of an option in a situation.
enum Verdict: Sendable {
    /// The run differs from the one without it.
    ///
    /// - Parameters:
    ///   - with: Words that both runs have.
    ///   - prepare: What the situation needs so that it matters.
    case effect([String], with: [String] = [], prepare: Preparation = .none)
    /// It is an error that names it, before anything is sent.
    case refused([String])
    /// Its effect takes more than a run to see: the test with this title, or one that begins so before “…”, shows it.
    case shown(by: String)
    /// It is what makes the situation another one.
    case selects
}

enum Preparation: Sendable {
    case none
    /// The command was run before.
    case earlierRun
    /// A database of the account.
    case database
    /// The service takes a second for each response.
    case slow
    /// The service refuses the insights, or every list of it.
    case forbidden
    case refuses
    /// The input has no account.
    case empty
}

/// What each option does, for each command that has it, and for each kind of its input. The first row that fits counts.
struct OptionRow: Sendable {
    var option: String
    var command: String?
    var situations: [String]?
    var verdict: Verdict

    init(_ option: String, _ command: String? = nil, _ situations: [String]? = nil, _ verdict: Verdict) {
        (self.option, self.command, self.situations, self.verdict) = (option, command, situations, verdict)
    }
}

enum OptionTable {
    static let reading = [
        "attributes", "insights", "averages", "correlations", "profile", "surveys", "device-data", "notifications",
        "accounts",
    ]

    static func situations(of command: String) -> [Situation] {
        func own(_ words: [String], writes: Bool = false) -> [Situation] {
            [
                Situation(name: "environment", words: words, account: .environment, writes: writes),
                Situation(name: "profile", words: words, account: .profile, writes: writes),
                Situation(name: "demo", words: words + ["--demo"], writes: writes),
            ]
        }
        switch command {
        case _ where reading.contains(command): return own([command])
        case "report":
            return own([command])
                + [Situation(name: "database", words: [command, "--database", "@/own.db"], account: .none)]
        case "set", "increment": return own([command, "steps=5"], writes: true)
        case "create": return own([command, "Late dinner"], writes: true)
        case "release": return own([command, "mood"], writes: true)
        case "login":
            return [
                Situation(name: "pasted", words: [command]),
                Situation(name: "mydatahelps", words: [command, "--mydatahelps"]),
                Situation(
                    name: "browser", words: [command, "--client-id", "%", "--redirect", "http://127.0.0.1:0/back"]),
            ]
        case "logout": return [Situation(name: "profile", words: [command], account: .profile)]
        case "check": return own([command])
        case "status": return Array(own([command]).prefix(2))
        case "sync":
            return own([command, "@/a.db"]) + [
                Situation(name: "accounts", words: [command, "@/accounts.jsonl", "--database", "@/a.db"]),
                Situation(name: "check", words: [command, "@/accounts.jsonl", "--database", "@/a.db", "--check"]),
            ]
        case "export":
            return [
                Situation(name: "file", words: [command, "@/accounts.jsonl"]),
                Situation(name: "pipe", words: [command], isPipe: true),
                Situation(name: "check", words: [command, "@/accounts.jsonl", "--check"]),
            ]
        default: return [Situation(name: "alone", words: [command])]
        }
    }

    /// Returns the number of the row on an option.
    static func row(on option: String, of command: String, _ situation: String) -> Int? {
        rows.firstIndex {
            $0.option == option && $0.command ?? command == command && $0.situations?.contains(situation) ?? true
        }
    }
}
