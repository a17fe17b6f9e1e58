import ExistKit
import Foundation

/// What `pledge export` was asked for.
struct ExportOptions: Equatable {
    /// What can be asked of an account.
    enum Section: String, CaseIterable, Sendable {
        case profile, attributes, averages, correlations, insights
        case participant, project, devicedata, tasks, answers

        var service: AccountID.Service {
            switch self {
            case .profile, .attributes, .averages, .correlations, .insights: .exist
            case .participant, .project, .devicedata, .tasks, .answers: .mydatahelps
            }
        }
    }

    /// Nil for standard input.
    var input: String?
    /// Nil for standard output.
    var output: String?
    var resume = false
    var retryFailed = false
    var csv = false
    var quiet = false
    var inFlight = 16
    var rate: Int?
    var days: Int?
    var first: ExistDay?
    var last: ExistDay?
    var sections = Set(Section.allCases)
    var shard: Shard?
    var timeout: TimeInterval = 30
    var longestWait: TimeInterval = 3600
    var transport = StandardTransport.Kind.usual

    init(_ arguments: [String]) throws {
        var flags = Flags(arguments, of: "pledge export")
        var files: [String] = []
        while let flag = try flags.next() {
            switch flag {
            case .value(let file): files.append(file)
            case .name("--output"): output = try flags.text("a file")
            case .name("--format"):
                let words = try flags.text("“jsonl” or “csv”").split(separator: ",").map(String.init)
                guard !words.isEmpty, Set(words).isSubset(of: ["jsonl", "csv"]) else {
                    throw UsageError("--format takes “jsonl” or “csv”, not “\(words.joined(separator: ","))”.")
                }
                csv = words.contains("csv")
            case .name("--in-flight"): inFlight = try flags.number(1...1000)
            case .name("--rate"): rate = try flags.number(1...1_000_000)
            case .name("--days"): days = try flags.number(1...36_500)
            case .name("--from"): first = try flags.day()
            case .name("--through"): last = try flags.day()
            case .name("--sections"): sections = try Self.sections(flags.text("names with commas between them"))
            case .name("--shard"):
                let text = try flags.text("a part such as 0/8")
                guard let shard = Shard(text) else {
                    throw UsageError("--shard takes a part such as 0/8, counted from 0, not “\(text)”.")
                }
                self.shard = shard
            case .name("--timeout"): timeout = try flags.seconds(0.001...86_400)
            case .name("--wait"): longestWait = try flags.seconds(0...86_400)
            case .name("--transport"): transport = try flags.transport()
            case .name("--resume"): resume = try flags.isOn()
            case .name("--retry-failed"): retryFailed = try flags.isOn()
            case .name("--quiet"): quiet = try flags.isOn()
            case .name: throw flags.unknown
            }
        }
        guard files.count <= 1 else { throw UsageError("“pledge export” reads one file: “\(files[1])” is too many.") }
        input = files.first == "-" ? nil : files.first
        if output == "-" { output = nil }
        try check()
    }

    private func check() throws {
        if output == nil, resume || retryFailed { throw UsageError("--resume needs --output FILE to go on with.") }
        if output == nil, csv { throw UsageError("--format csv needs --output FILE to write tables beside.") }
        if retryFailed, !resume { throw UsageError("--retry-failed goes with --resume.") }
        if days != nil, first != nil { throw UsageError("--days and --from say the same: leave one out.") }
        if let first, let last, last < first { throw UsageError("--from is after --through: swap them.") }
    }

    /// Of a service none of whose sections is named, all are wanted.
    private static func sections(_ text: String) throws -> Set<Section> {
        var wanted: Set<Section> = []
        for word in text.split(separator: ",").map({ $0.trimmingCharacters(in: .whitespaces) }) {
            guard let section = Section(rawValue: word) else {
                let known = Section.allCases.map(\.rawValue).joined(separator: ", ")
                throw UsageError("There is no section “\(word)”: there are \(known).")
            }
            wanted.insert(section)
        }
        guard !wanted.isEmpty else { throw UsageError("--sections names none.") }
        for service in AccountID.Service.allCases where !wanted.contains(where: { $0.service == service }) {
            wanted.formUnion(Section.allCases.filter { $0.service == service })
        }
        return wanted
    }
}
