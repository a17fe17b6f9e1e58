import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeCoding

/// Brings one MyDataHelps participant in a history up to date; see ``ExistSync``.
public struct ParticipantSync: Sendable {
    let session: ParticipantSession
    let history: History
    let name: String?
    let options: SyncOptions
    let requests: RequestCount

    /// A sync of one account, which begins with ``run()``.
    ///
    /// - Parameters:
    ///   - session: whose data; to have its requests counted, give its client the transport of `requests`.
    ///   - history: where to.
    ///   - name: what the account is called there; the project's name for the participant unless given.
    ///   - options: how.
    ///   - requests: counts them.
    public init(
        _ session: ParticipantSession, into history: History, as name: String? = nil,
        options: SyncOptions = SyncOptions(), requests: RequestCount = RequestCount()
    ) {
        self.session = session
        self.history = history
        self.name = name
        self.options = options
        self.requests = requests
    }

    /// Reads what is to be read, and writes it.
    ///
    /// - Rejects: with `MyDataHelpsError`, ``DatabaseError`` or ``SyncStopped``. What was written by then stays.
    /// - Cancellation: ends the request under way.
    public func run() -> Promise<SyncSummary> {
        firstly { () throws -> Promise<SyncSummary> in
            let known = try name.map { try begin($0) }
            let participant = session.getParticipantInfo()
            guard let known else {
                return participant.then(on: .pledge) { participant -> Promise<SyncSummary> in
                    let run = try begin(participant.participantIdentifier)
                    return run.following { ParticipantSteps(sync: self, run: run).all(participant) }
                }
            }
            return known.following {
                participant.then(on: .pledge) { participant -> Promise<Void> in
                    ParticipantSteps(sync: self, run: known).all(participant)
                }
            }
        }
    }

    private func begin(_ name: String) throws -> SyncRun {
        try SyncRun(history, service: "mydatahelps", name: name, options: options, requests: requests)
    }
}

/// The steps of one sync of a participant.
struct ParticipantSteps: Sendable {
    let sync: ParticipantSync
    let run: SyncRun
    private var session: ParticipantSession { sync.session }

    func all(_ participant: ParticipantInfo) -> Promise<Void> {
        firstly { () throws -> Promise<ProjectInfo> in
            try run.goOn()
            return session.getProjectInfo()
        }.then(on: .pledge) { project -> Promise<ProjectDataCollectionSettings> in
            try run.write { database in
                try database.run(
                    "UPDATE account SET first_name = ?, last_name = ?, time_zone = ? WHERE id = ?",
                    [
                        SQLValue(participant.demographics.firstName), SQLValue(participant.demographics.lastName),
                        SQLValue(participant.demographics.timeZone), run.key,
                    ])
                var count = try database.put([participant.row(run.key)], into: Tables.participant)
                count += try database.put([project.row], into: Tables.project)
                return count
            }
            return session.getDataCollectionSettings()
        }.then(on: .pledge) { settings -> Promise<Void> in
            let sources = Set(settings.queryableDeviceDataTypes.map { ExactText($0.namespace.rawValue) }).sorted()
            return sources.reduce(Promise()) { before, source in
                before.then(on: .pledge) { _ -> Promise<Void> in points(of: source.text) }
            }
        }.then(on: .pledge) { _ -> Promise<Void> in
            tasks()
        }.then(on: .pledge) { _ -> Promise<Void> in
            answers()
        }.then(on: .pledge) { _ -> Promise<Void> in
            notifications()
        }.then(on: .pledge) { _ -> Promise<Void> in
            externalAccounts()
        }
    }

    private var overlap: TimeInterval { TimeInterval(sync.options.overlap) * 86_400 }

    /// An hour of overlap: the stamps are the service's own, whose servers may differ by minutes.
    private func points(of namespace: String) -> Promise<Void> {
        let walk = StampedWalk<DeviceDataQuery>(
            list: "device_data_point", name: namespace, table: Tables.point,
            rows: { $0.items.map { ($0.row(run.key), $0.modifiedDate) } }, overlap: 3600,
            part: ("namespace = ? AND modified > ?", [.text(namespace)])
        ) { since, page in
            DeviceDataQuery(
                namespace: DeviceDataNamespace(rawValue: namespace), modifiedAfter: since,
                pageID: page.map { .init($0) })
        }
        return walk.run(session, run, now: sync.options.now())
    }

    private func answers() -> Promise<Void> {
        let walk = StampedWalk<SurveyAnswersQuery>(
            list: "survey_answer", table: Tables.answer, rows: { $0.items.map { ($0.row(run.key), $0.insertedDate) } },
            overlap: overlap, part: ("inserted > ?", [])
        ) { since, page in
            SurveyAnswersQuery(insertedAfter: since, pageID: page.map { .init($0) })
        }
        return walk.run(session, run, now: sync.options.now())
    }

    private func notifications() -> Promise<Void> {
        let walk = StampedWalk<NotificationHistoryQuery>(
            list: "notification", table: Tables.notification,
            rows: { page in
                page.items.map { ($0.row(run.key), $0.sentDate) } + page.others.map { ($0.row(run.key), $0.sentDate) }
            },
            overlap: overlap, part: ("sent > ?", [])
        ) { since, page in
            NotificationHistoryQuery(sentAfter: since, pageID: page.map { .init($0) })
        }
        return walk.run(session, run, now: sync.options.now())
    }

    private func tasks() -> Promise<Void> {
        TaskWalk(overlap: overlap).run(session, run)
    }

    private func externalAccounts() -> Promise<Void> {
        firstly { () throws -> Promise<[ExternalAccount]> in
            try run.goOn()
            return session.listExternalAccounts()
        }.done(on: .pledge) { accounts in
            try run.write { database in
                try database.put(
                    accounts.map { $0.row(run.key) }, into: Tables.externalAccount, within: run.everything,
                    isAll: true)
            }
        }
    }
}
