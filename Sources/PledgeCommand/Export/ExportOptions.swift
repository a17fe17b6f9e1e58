import ExistKit
import Foundation

/// The options of `pledge export`.
struct ExportOptions {
    /// The sections of an account's data.
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

    /// The correlations to include.
    enum Correlations: String, Sendable {
        case all, strong
    }

    /// The accounts with an error that are retried.
    enum Retried {
        case all
        case kinds(Set<String>)

        /// - Parameter kind: The kind of error; nil if the work was interrupted.
        func holds(_ kind: String?) -> Bool {
            switch self {
            case .all: true
            case .kinds(let kinds): kind.map(kinds.contains) ?? false
            }
        }
    }

    /// The command line itself.
    let arguments: [String]
    var batch: BatchOptions
    /// The name of the results as given, and their path; nil for standard output.
    private(set) var outputName: OutputName?
    var output: String?
    var resume = false
    var adopt = false
    /// Nil for those whose error may be temporary.
    var retried: Retried?
    var isCheck = false
    var csv = false
    var sections = Set(Section.allCases)
    var correlations = Correlations.all
    var window: ExportDays

    /// All files that results go to, including the record of the run.
    var files: [String] {
        guard let output else { return [] }
        return [output, RunRecord.path(beside: output)] + (csv ? CSVTable.allCases.map { $0.path(beside: output) } : [])
    }

    init(_ arguments: Arguments) throws {
        typealias Table = ExportCommand
        self.arguments = arguments.words
        batch = try BatchOptions(arguments)
        let now = arguments.context.clock.now()
        window = ExportDays(began: now, today: ExistDay(now, in: arguments.context.timeZone))
        outputName = try arguments[Table.output].flatMap { $0 == "-" ? nil : try OutputName($0) }
        output = outputName?.path(on: window.today)
        csv = arguments[Table.format]?.contains("csv") ?? false
        window.first = arguments[Table.from]
        window.last = arguments[Table.through]
        sections = arguments[Table.sections] ?? sections
        correlations = arguments[Table.correlations] ?? correlations
        resume = arguments[Table.resume]
        adopt = arguments[Table.adopt]
        retried = arguments[Table.retry]
        isCheck = arguments[Table.checkOnly]
        let days = arguments[Table.days]
        if isCheck {
            let useless: [any AnyOption] = [
                Table.days, Table.from, Table.through, Table.sections, Table.correlations, Table.format, Table.output,
                Table.resume, Table.retry, Table.adopt, BatchOptions.acceptUnreadable,
            ]
            try AccountCheck.refuse(useless, in: arguments)
        }
        if days != nil, window.first != nil { throw UsageError("--days and --from both set the first day: omit one.") }
        window.count = days ?? window.count
        try check()
    }

    private func check() throws {
        if output == nil, resume || retried != nil || adopt {
            throw UsageError("--resume requires --output FILE.")
        }
        if output == nil, csv { throw UsageError("--format csv requires --output FILE.") }
        if !resume, retried != nil { throw UsageError("--retry requires --resume.") }
        if !resume, adopt { throw UsageError("--adopt requires --resume.") }
        if let first = window.first, let last = window.last, last < first {
            throw UsageError("--from is after --through: swap them.")
        }
    }

    static func retried(_ text: String, among known: Set<String> = AccountError.kinds) throws -> Retried {
        if text == "all" { return .all }
        let kinds = text.split(separator: ",").map(String.init)
        if let unknown = kinds.first(where: { !known.contains($0) }) {
            let known = known.sorted().joined(separator: ", ")
            throw UsageError("There is no kind of error “\(unknown)”. The kinds are all, \(known).")
        }
        guard !kinds.isEmpty else { throw UsageError("--retry names no kind of error.") }
        return .kinds(Set(kinds))
    }

    /// If none of a service's sections is named, all are included.
    static func sections(_ text: String) throws -> Set<Section> {
        var wanted: Set<Section> = []
        for word in text.split(separator: ",").map({ $0.trimmingCharacters(in: .whitespaces) }) {
            guard let section = Section(rawValue: word) else {
                let known = Section.allCases.map(\.rawValue).joined(separator: ", ")
                throw UsageError("There is no section “\(word)”. The sections are \(known).")
            }
            wanted.insert(section)
        }
        guard !wanted.isEmpty else { throw UsageError("--sections names no section.") }
        let services = wanted.map(\.service)
        return wanted.union(Section.allCases.filter { !services.contains($0.service) })
    }
}
