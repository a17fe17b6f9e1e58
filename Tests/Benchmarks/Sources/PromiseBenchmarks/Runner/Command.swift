/// The command that the command line's arguments ask for.
enum Command {
    case compare(Options)
    case deep([DeepCase])
    case profile(Workload, any Contender, repeats: Int)
    case count(Beside, withPromises: Bool, Int)
    case help

    static let usage = """
        usage: PromiseBenchmarks [--rounds N] [--filter TEXT] [--json FILE] [--check]
               PromiseBenchmarks deep [\(DeepCase.allCases.map(\.rawValue).joined(separator: "|"))]
               PromiseBenchmarks profile \(Workload.allCases.map(\.rawValue).joined(separator: "|")) [CONTENDER [N]]
               PromiseBenchmarks count \(Beside.allCases.map(\.rawValue).joined(separator: "|")) pledge|swift N

          --rounds N     how often each contender has its turn; 15 if not given
          --filter TEXT  only workloads, and memory, whose name contains this
          --json FILE    writes the figures to a file as well
          --check        exits 1 if a gate fails
        """

    init(_ arguments: [String]) throws(UsageError) {
        switch arguments.first {
        case "-h", "--help":
            self = .help
        case "deep":
            self = .deep(try Self.deepCases(arguments.dropFirst()))
        case "profile":
            self = try Self.profile(Array(arguments.dropFirst()))
        case "count":
            guard arguments.count == 4, let work = Beside(rawValue: arguments[1]),
                ["pledge", "swift"].contains(arguments[2]), let count = Int(arguments[3]), count > 0
            else { throw UsageError("count needs a kind of work, pledge or swift, and a number above zero.") }
            self = .count(work, withPromises: arguments[2] == "pledge", count)
        default:
            self = .compare(try Options(arguments))
        }
    }

    private static func deepCases(_ names: ArraySlice<String>) throws(UsageError) -> [DeepCase] {
        var cases: [DeepCase] = []
        for name in names {
            guard let found = DeepCase(rawValue: name) else { throw UsageError("There is no deep case \(name).") }
            cases.append(found)
        }
        return cases.isEmpty ? DeepCase.allCases : cases
    }

    private static func profile(_ arguments: [String]) throws(UsageError) -> Command {
        guard let workload = arguments.first.flatMap(Workload.init(rawValue:)) else {
            throw UsageError("profile needs the name of a workload.")
        }
        let name = arguments.count > 1 ? arguments[1] : pledge.name
        guard let contender = contenders.first(where: { $0.name.lowercased().contains(name.lowercased()) }) else {
            throw UsageError("There is no contender \(name).")
        }
        guard let repeats = arguments.count > 2 ? Int(arguments[2]) : 10, repeats > 0 else {
            throw UsageError("How often must be a number above zero.")
        }
        return .profile(workload, contender, repeats: repeats)
    }
}

/// An error about invalid arguments.
struct UsageError: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}
