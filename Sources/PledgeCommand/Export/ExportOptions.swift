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

    /// Which correlations are wanted.
    enum Correlations: String, Sendable {
        case all, strong
    }

    /// Which accounts are done again whose line is an error.
    enum Retried: Equatable {
        /// Those whose error may be over by now.
        case passing
        case all
        case kinds(Set<String>)

        func holds(_ failure: ResumeScan.Failure) -> Bool {
            switch self {
            case .passing: failure.isPassing
            case .all: true
            case .kinds(let kinds): kinds.contains(failure.kind)
            }
        }
    }

    /// The command line itself.
    let arguments: [String]
    var batch = BatchOptions()
    /// Nil for standard output.
    var output: String?
    var resume = false
    var adopt = false
    var retried: Retried?
    var isCheck = false
    var csv = false
    var sections = Set(Section.allCases)
    var correlations = Correlations.all
    var window = ExportDays()

    init(_ arguments: [String]) throws {
        self.arguments = arguments
        var flags = Flags(arguments, of: "pledge export")
        var (files, days): ([String], Int?) = ([], nil)
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
            case .name("--days"): days = try flags.number(1...36_500)
            case .name("--from"): window.first = try flags.day()
            case .name("--through"): window.last = try flags.day()
            case .name("--sections"): sections = try Self.sections(flags.text("names with commas between them"))
            case .name("--correlations"): correlations = try flags.choice(["all": .all, "strong": .strong])
            case .name("--resume"): resume = try flags.isOn()
            case .name("--adopt"): adopt = try flags.isOn()
            case .name("--retry"): retried = try Self.retried(flags.text("kinds of errors, or “all”"))
            case .name("--check"): isCheck = try flags.isOn()
            case .name(let name): guard try batch.take(name, &flags) else { throw flags.unknown }
            }
        }
        guard files.count <= 1 else { throw UsageError("“pledge export” reads one file: “\(files[1])” is too many.") }
        batch.input = files.first == "-" ? nil : files.first
        if output == "-" { output = nil }
        if days != nil, window.first != nil { throw UsageError("--days and --from say the same: leave one out.") }
        window.count = days ?? window.count
        try check()
    }

    private func check() throws {
        if output == nil, resume || retried != nil || adopt {
            throw UsageError("--resume needs --output FILE to go on with.")
        }
        if output == nil, csv { throw UsageError("--format csv needs --output FILE to write tables beside.") }
        if !resume, retried != nil { throw UsageError("--retry goes with --resume.") }
        if !resume, adopt { throw UsageError("--adopt goes with --resume.") }
        if isCheck, output != nil { throw UsageError("--check writes no results: leave out --output.") }
        if let first = window.first, let last = window.last, last < first {
            throw UsageError("--from is after --through: swap them.")
        }
    }

    private static func retried(_ text: String) throws -> Retried {
        if text == "all" { return .all }
        let kinds = text.split(separator: ",").map(String.init)
        if let unknown = kinds.first(where: { !AccountError.kinds.contains($0) }) {
            let known = AccountError.kinds.sorted().joined(separator: ", ")
            throw UsageError("There is no kind of error “\(unknown)”: there are all, \(known).")
        }
        guard !kinds.isEmpty else { throw UsageError("--retry names no kind of error.") }
        return .kinds(Set(kinds))
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
