import ExistKit
import Foundation

/// The days to request. They depend on the time at which the run began, so that a run that is resumed after midnight
/// requests the same days.
struct ExportDays: Sendable {
    /// The number of days; only used if `first` is nil.
    var count: Int
    var first: ExistDay?
    /// The last day; nil for the day on which the run began, in each user's time zone.
    var last: ExistDay?
    var began: Date
    /// The day on which the run began in the local time zone, for accounts whose time zone is unknown.
    var today: ExistDay

    func last(in zone: TimeZone?) -> ExistDay {
        last ?? zone.map { ExistDay(began, in: $0) } ?? today
    }

    func first(before last: ExistDay) -> ExistDay {
        first.map { min($0, last) } ?? last.advanced(by: 1 - count)
    }
}

struct ExportOptions {
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

    // Options that select what is requested.
    static let days = Option.number(
        "--days", "N", 1...36_500, "the number of days of values and insights, up to --through", defaultValue: "7")
    static let from = Option.day("--from", "the first day, instead of --days")
    static let through = Option.day("--through", "the last day (default the day the run began)")
    static let sections = Option<Set<Section>>.value(
        "--sections", "NAMES", "names with commas between them",
        "export only these, separated by commas: profile, attributes, averages, correlations, insights; participant, "
            + "project, devicedata, tasks, answers. If you name sections of only one service, the other service is "
            + "exported completely", read: sections)

    // Options for the file with the results.
    static let output = Option.file(
        "--output",
        "the file for the results. Without --resume, it must be empty or missing. In its name, %F stands for the day "
            + "on which the run began, and %% for a percent sign")
    static let resume = Option.flag(
        "--resume",
        "continue an earlier run, even if it failed: accounts that have a line are skipped, except those with an error "
            + "that may have passed (\(AccountError.passingKinds.sorted().joined(separator: ", ")), and truncated "
            + "responses)"
    )
    static let retry = Option<Set<String>>.value(
        "--retry", "KINDS", "kinds of errors, or “all”",
        "with --resume: repeat the accounts with these kinds of errors instead; “all” for every kind"
    ) { try AccountError.kinds($0, among: AccountError.kinds) }

    /// The options that only affect the results. They have no effect on `--check`.
    private static let ofResults: [any AnyOption] = [
        days, from, through, sections, output, resume, retry,
    ]
    static let all: [any AnyOption] =
        ofResults + [
            AccountCheck.option, BatchOptions.rate, BatchOptions.wait, BatchOptions.quiet,
            BatchOptions.acceptUnreadable,
        ] + Access.requests + BatchOptions.forMany

    let batch: BatchOptions
    /// The name of the results as the user gave it, and the path that it stands for. Both are nil if the results go to
    /// standard output.
    let outputName: OutputName?
    var output: String?
    let resume: Bool
    /// The kinds of errors whose accounts are repeated, or `all`. If it is nil, the accounts with errors that may be
    /// temporary are repeated.
    let retried: Set<String>?
    let sections: Set<Section>
    var window: ExportDays

    /// The paths of all files that the run writes as results, including the record of the run.
    var files: [String] {
        guard let output else { return [] }
        return [output, output + RunRecord.suffix]
    }

    init(_ arguments: Arguments) throws {
        batch = try BatchOptions(arguments)
        outputName = try arguments[Self.output].flatMap { $0 == "-" ? nil : try OutputName($0) }
        sections = arguments[Self.sections] ?? Set(Section.allCases)
        resume = arguments[Self.resume]
        retried = arguments[Self.retry]
        let now = arguments.context.clock.now()
        window = ExportDays(
            count: try arguments.value(Self.days), first: arguments[Self.from], last: arguments[Self.through],
            began: now,
            today: ExistDay(now, in: arguments.context.timeZone))
        output = outputName?.path(on: window.today)
        if arguments[AccountCheck.option] {
            try AccountCheck.refuse(Self.ofResults + [BatchOptions.acceptUnreadable], in: arguments)
        }
        if arguments[Self.days] != nil, window.first != nil {
            throw UsageError("--days and --from both set the first day: omit one.")
        }
        if output == nil, resume || retried != nil { throw UsageError("--resume requires --output FILE.") }
        if !resume, retried != nil { throw UsageError("--retry requires --resume.") }
        if let first = window.first, let last = window.last, last < first {
            throw UsageError("--from is after --through: swap them.")
        }
    }

    /// Parses the names of sections. If the text names no section of a service, all sections of that service are
    /// included.
    private static func sections(_ text: String) throws -> Set<Section> {
        var wanted: Set<Section> = []
        for word in text.split(separator: ",").map({ $0.trimmingCharacters(in: .whitespaces) }) {
            guard let section = Section(rawValue: word) else {
                let known = Section.allCases.map(\.rawValue).joined(separator: ", ")
                throw UsageError("There is no section “\(word)”. The sections are \(known).")
            }
            wanted.insert(section)
        }
        guard !wanted.isEmpty else { throw UsageError("--sections needs a section.") }
        let services = wanted.map(\.service)
        return wanted.union(Section.allCases.filter { !services.contains($0.service) })
    }
}

extension ExportOptions {
    /// Returns a sentence that names the options for repeating the accounts with these errors. Returns an empty text if
    /// they cannot be repeated.
    func adviceToRetry(_ kinds: [String]) -> String {
        guard let output, batch.input != nil else { return "" }
        // The sentence contains the name of this run's file. The pattern that the user gave may stand for another file
        // on another day.
        let again = kinds.joined(separator: ",")
        return "Repeat them with --output \(OutputName.quoted(output)) --resume --retry \(again)."
    }
}
