import ExistKit
import Foundation
import PledgeCoding
import PledgeHistory

/// `pledge report --database`: reports on an account's data as of the last sync, without sending any request.
struct DatabaseReport {
    static let demoAccount = "sandbox"
    var path: String
    var choice: ReportSpan.Choice
    var service: Access.Service
    var account: String?
    var zone: TimeZone
    var now: Date

    func make() throws -> Report {
        guard FileManager.default.fileExists(atPath: path) else {
            throw Failure("There is no \(path): create it with “pledge sync \(path)”.")
        }
        let stored = try account(in: History(reading: path))
        return try service == .exist ? exist(stored) : participant(stored)
    }

    private func account(in history: History) throws -> AccountReader {
        let all = try AccountReader.all(of: service, in: history)
        if let account {
            guard let found = all.first(where: { $0.name.utf8.elementsEqual(account.utf8) }) else {
                let near = Nearest.hint(to: account, among: all.map(\.name))
                throw UsageError("\(path) has no account “\(account)” of \(service.title).\(near)")
            }
            return found
        }
        guard let first = all.first else {
            let other: Access.Service = service == .exist ? .mydatahelps : .exist
            let hasOther = try !AccountReader.all(of: other, in: history).isEmpty
            let way = service == .exist ? "add --mydatahelps" : "omit --mydatahelps"
            throw UsageError(
                "\(path) has no account of \(service.title)\(hasOther ? ", but one of \(other.title): \(way)" : "").")
        }
        guard all.count == 1 else {
            let names = all.prefix(3).map { "“\($0.name)”" }.joined(separator: ", ")
            throw UsageError("\(path) has \(all.count) accounts, such as \(names): choose one with --account.")
        }
        return first
    }

    private func exist(_ stored: AccountReader) throws -> Report {
        let user = stored.user
        // The service's day was stored at the beginning of the latest sync, so it counts only if that sync succeeded.
        let day = stored.latestSucceeded || stored.synced == nil ? stored.day : nil
        let (today, synced) = days(stored, in: user.timeZone ?? zone, synced: day)
        let span = try ReportSpan(choice, today: today, synced: synced)
        let first = span.days[0]
        let last = span.last
        let (averages, oldest) = try averages(stored, of: span)
        let unfinished = try stored.unfinished(since: oldest)
        if unfinished == 0, let begin = try stored.firstDay(), last < begin {
            throw UsageError("\(path) has no values before \(begin): choose later days.")
        }
        return Report(
            user: user, attributes: try stored.attributes(from: span.before[0], through: last),
            averages: averages, correlations: span.isOpen ? try stored.correlations() : [],
            insights: try stored.insights(from: first, through: last), span: span,
            source: source(synced), demo: isDemo(stored),
            warnings: unfinished == 0
                ? warnings(stored)
                : [
                    "The first sync has not yet fetched \(NumberText.counted(unfinished, "attribute")) "
                        + "back to \(oldest): run “pledge sync \(path)” to continue."
                ])
    }

    /// Returns a warning if the latest sync failed, was interrupted, or is still in progress.
    private func warnings(_ stored: AccountReader) -> [String] {
        guard !stored.latestSucceeded else { return [] }
        return [
            "The latest sync of the account failed or has not ended, so data may be missing: run “pledge sync” again."
        ]
    }

    /// Returns the averages that are valid in the report. If Exist's latest averages are too new for the report's days,
    /// older ones are computed from the stored values, because the database doesn't keep Exist's older averages.
    ///
    /// - Returns: The averages, and the oldest day whose values the report needs.
    private func averages(
        _ stored: AccountReader, of span: ReportSpan
    ) throws -> (averages: [Average], oldest: ExistDay) {
        let latest = try stored.averages()
        guard !span.isOpen, latest.contains(where: { $0.day > span.last }) else { return (latest, span.before[0]) }
        let day = Average.dayMade(for: span.last)
        let oldest = day.advanced(by: -Average.daysCovered)
        let attributes = try stored.attributes(from: oldest, through: day.advanced(by: -1))
        return (attributes.compactMap { Average(of: $0, on: day) }, min(oldest, span.before[0]))
    }

    private func participant(_ stored: AccountReader) throws -> Report {
        let zone = stored.timeZone ?? zone
        let (today, synced) = days(stored, in: zone, synced: nil)
        let span = ParticipantSpan(try ReportSpan(choice, today: today, synced: synced), in: zone)
        let points = try stored.deviceData(of: ParticipantSpan.namespaces, after: span.startBefore, before: span.end)
        let newer = try stored.deviceDataV2(from: span.report.before[0], through: span.report.last)
        return Report(
            person: try stored.participantName(),
            points: ParticipantSpan.joined(points.map(span.measurement), newer.map(span.measurement)),
            tasks: try stored.openTasks(), answers: try stored.answers(after: span.start, before: span.end),
            accounts: try stored.externalAccounts(), span: span, source: source(synced), demo: isDemo(stored),
            warnings: warnings(stored))
    }

    private func days(
        _ stored: AccountReader, in zone: TimeZone, synced: ExistDay?
    ) -> (today: ExistDay, synced: ExistDay) {
        let synced = synced ?? ExistDay(stored.synced ?? stored.latest ?? now, in: zone)
        // The day of the last sync comes from the service, whose clock may be ahead of this machine's. The later of the
        // two days counts as today.
        return (max(synced, ExistDay(now, in: zone)), synced)
    }

    private func source(_ synced: ExistDay) -> String {
        "\(URL(fileURLWithPath: path).lastPathComponent), synced \(synced.short) \(synced.year)"
    }

    /// Whether the data is the demo's. It is stored under an account name that no user of the services has.
    private func isDemo(_ stored: AccountReader) -> Bool {
        stored.name == Self.demoAccount && stored.ownName != stored.name
    }
}

extension Average {
    /// The number of days that an average is computed from. The last of them is the day before the computation.
    static let daysCovered = 60

    /// Returns the day on which the averages that are valid on `day` were computed. Exist computes them on Sundays.
    static func dayMade(for day: ExistDay) -> ExistDay {
        let index = ExistDay.Weekday.allCases.firstIndex(of: day.weekday) ?? 0
        return day.advanced(by: -((index + 1) % 7))
    }

    /// Computes the average that Exist would compute on a day: the medians of the values of the 60 days before. Returns
    /// nil for text, for tags, and if there are no values.
    init?(of attribute: ExistKit.Attribute, on day: ExistDay) {
        guard ![.string, .boolean].contains(attribute.valueType) else { return nil }
        let numbers = attribute.values.compactMap { entry -> (ExistDay.Weekday, Double)? in
            guard 1...Self.daysCovered ~= entry.day.distance(to: day), let number = entry.value?.double else {
                return nil
            }
            return (entry.day.weekday, number)
        }
        guard let overall = Self.median(numbers.map(\.1)) else { return nil }
        let weekdays = Dictionary(grouping: numbers, by: \.0).compactMapValues { Self.median($0.map(\.1)) }
        self.init(attribute: attribute.name, day: day, overall: overall, weekdays: weekdays)
    }

    private static func median(_ numbers: [Double]) -> Double? {
        let sorted = numbers.filter(\.isFinite).sorted()
        guard !sorted.isEmpty else { return nil }
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}
