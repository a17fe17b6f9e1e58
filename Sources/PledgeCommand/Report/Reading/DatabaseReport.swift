import ExistKit
import Foundation
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

    func make() throws -> WeeklyReport {
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

    private func exist(_ stored: AccountReader) throws -> WeeklyReport {
        let user = stored.user
        let (today, read) = days(stored, in: user.timeZone ?? zone, read: stored.day)
        let span = try ReportSpan(choice, today: today, read: read)
        let first = span.days[0]
        let last = span.last
        let (averages, oldest) = try averages(stored, of: span)
        let unfinished = try stored.unfinished(since: oldest)
        if unfinished == 0, let begin = try stored.firstDay(), last < begin {
            throw UsageError("\(path) has no values before \(begin): choose later days.")
        }
        return WeeklyReport(
            user: user, attributes: try stored.attributes(from: span.before[0], through: last),
            averages: averages, correlations: span.isOpen ? try stored.correlations() : [],
            insights: try stored.insights(from: first, through: last), span: span,
            source: source(read), demo: isDemo(stored),
            warnings: unfinished == 0
                ? []
                : [
                    "The first sync has not yet fetched \(unfinished) \(unfinished == 1 ? "attribute" : "attributes") "
                        + "back to \(oldest): run “pledge sync \(path)” to continue."
                ])
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

    private func participant(_ stored: AccountReader) throws -> WeeklyReport {
        let (today, read) = days(stored, in: zone, read: nil)
        let span = ParticipantSpan(try ReportSpan(choice, today: today, read: read), in: zone)
        let points = try stored.deviceData(of: ParticipantSpan.namespaces, after: span.startBefore, before: span.end)
        let newer = try stored.deviceDataV2(from: span.report.before[0], through: span.report.last)
        return WeeklyReport(
            person: try stored.participantName(),
            points: points.map(span.measurement) + newer.map(span.measurement),
            tasks: try stored.openTasks(), answers: try stored.answers(after: span.start, before: span.end),
            accounts: try stored.externalAccounts(), span: span, source: source(read), demo: isDemo(stored),
            warnings: [])
    }

    private func days(_ stored: AccountReader, in zone: TimeZone, read: ExistDay?) -> (today: ExistDay, read: ExistDay)
    {
        let read = read ?? ExistDay(stored.synced ?? now, in: zone)
        // The day of the last sync comes from the service, whose clock may be ahead of this machine's. The later of the
        // two days counts as today.
        return (max(read, ExistDay(now, in: zone)), read)
    }

    private func source(_ read: ExistDay) -> String {
        "\(URL(fileURLWithPath: path).lastPathComponent), synced \(read.short) \(read.year)"
    }

    /// Whether the data is the demo's. It is stored under an account name that no user of the services has.
    private func isDemo(_ stored: AccountReader) -> Bool {
        stored.name == Self.demoAccount && stored.ownName != stored.name
    }
}
