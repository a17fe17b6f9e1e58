import PledgeSandbox

@testable import PledgeCommand

/// A kind of input of a command: the words and the account with which the command runs, without the option that is
/// tested. In the words, `@` stands for the run's folder, and `%` stands for the ID of the sandbox's client.
struct Situation: Sendable {
    enum Account { case none, environment, profile }

    var name: String
    var words: [String]
    var account = Account.none
    /// Whether the accounts of a batch come from standard input.
    var isPipe = false
    /// Whether the command changes data at the service. If it does, each run needs its own service.
    var writes = false
}

/// What an option does in a situation.
enum Verdict: Sendable {
    /// A run with the option differs from a run without the option.
    ///
    /// - Parameters:
    ///   - with: Words that both runs have.
    ///   - prepare: The preparation without which the option would have no effect.
    case effect([String], with: [String] = [], prepare: Preparation = .none)
    /// The command fails with an error that names the option, and sends nothing.
    case refused([String])
    /// One run can't show the option's effect, so another test shows it. The text names the test's suite and function.
    case shown(by: String)
    /// The option defines the situation, so every run in the situation has the option.
    case selects
}

enum Preparation: Sendable {
    case none
    /// The same command was run before.
    case earlierRun
    /// The account was synced into a database before.
    case database
    /// The service takes a second for each response.
    case slow
    /// The service refuses requests for insights.
    case forbidden
    /// The service refuses all requests.
    case refuses
    /// The input has no account.
    case empty
}

/// What an option does for a command in some situations. If the command or the situations are nil, the row is for all
/// of them. If several rows fit, the first row counts.
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

    /// Returns the index of the first row that fits, or nil if no row fits.
    static func row(on option: String, of command: String, _ situation: String) -> Int? {
        rows.firstIndex {
            $0.option == option && $0.command ?? command == command && $0.situations?.contains(situation) ?? true
        }
    }
}
