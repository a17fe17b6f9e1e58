import ExistKit
import Foundation

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

    // What is requested.
    static let days = Option.number(
        "--days", "N", 1...36_500, "days of values and insights, back from today or --through", defaultValue: "7")
    static let from = Option.day("--from", "the first day instead")
    static let through = Option.day("--through", "the last day", defaultValue: "the day the run began")
    static let sections = Option<Set<Section>>.value(
        "--sections", "NAMES", "names with commas between them",
        "only these, separated by commas: profile, attributes, averages, correlations, insights; participant, project, "
            + "devicedata, tasks, answers. If none of a service is listed, all of its sections", read: sections)

    // Where it is written.
    static let output = Option.file(
        "--output",
        "the file for the results, which must be empty or missing without --resume. %F in its name is the day on which "
            + "the run began, %% a percent sign")
    static let resume = Option.flag(
        "--resume",
        "continue an earlier run that ended for any reason: accounts with a line are skipped, except those whose error "
            + "may have passed (\(AccountError.passingKinds.sorted().joined(separator: ", ")), and truncated responses)"
    )
    static let retry = Option<Set<String>>.value(
        "--retry", "KINDS", "kinds of errors, or “all”",
        "with --resume: repeat the accounts with these kinds of errors instead; “all” for every kind"
    ) { try AccountError.kinds($0, among: AccountError.kinds) }

    /// The options that only affect the results.
    private static let ofResults: [any AnyOption] = [
        days, from, through, sections, output, resume, retry,
    ]
    static let all: [any AnyOption] =
        ofResults + [
            AccountCheck.option, BatchOptions.rate, BatchOptions.wait, BatchOptions.quiet,
            BatchOptions.acceptUnreadable,
        ] + Access.requests + BatchOptions.forMany

    let batch: BatchOptions
    /// The name of the results as given, and their path; nil for standard output.
    let outputName: OutputName?
    var output: String?
    let resume: Bool
    /// The kinds of errors to retry, or `all`; nil for those that may be temporary.
    let retried: Set<String>?
    let sections: Set<Section>
    var window: ExportDays

    /// All result files, including the record of the run.
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

    /// Returns the named sections. If none of a service's sections is named, returns all of them as well.
    private static func sections(_ text: String) throws -> Set<Section> {
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
