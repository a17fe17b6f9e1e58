import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeCoding

/// The steps of one sync of a participant.
struct ParticipantSteps: Sendable {
    let session: ParticipantSession
    let run: SyncRun

    func all(_ participant: ParticipantInfo) throws -> Promise<Void> {
        try run.write { database in
            try database.run(
                "UPDATE account SET first_name = ?, last_name = ?, time_zone = ? WHERE id = ?",
                [
                    SQLValue(participant.demographics.firstName), SQLValue(participant.demographics.lastName),
                    SQLValue(participant.demographics.timeZone), run.key,
                ])
            return try database.put([participant.row(run.key)], into: "participant")
        }
        return run.inTurn([
            ("The project", project), ("The settings of device data", deviceData), ("The survey tasks", tasks),
            ("The survey answers", answers), ("The notifications", notifications),
            ("The external accounts", externalAccounts),
        ])
    }

    private func project() -> Promise<Void> {
        session.getProjectInfo().done(on: run.history.queue) { project in
            try run.write { try $0.put([project.row], into: "project") }
        }
    }

    private func deviceData() -> Promise<Void> {
        session.getDataCollectionSettings().then(on: run.history.queue) { settings -> Promise<Void> in
            let sources = Set(settings.queryableDeviceDataTypes.map { ExactText($0.namespace.rawValue) }).sorted()
            return run.inTurn(
                sources.map { source in ("The device data of \(source.text)", { try points(of: source.text) }) })
        }
    }

    private func answers() throws -> Promise<Void> {
        try stamped("survey_answer", by: "inserted", overlap: overlap) {
            SurveyAnswersQuery(insertedAfter: $0)
        } rows: { page in
            page.items.map { ($0.row(run.key), $0.insertedDate) }
        }
    }

    private func notifications() throws -> Promise<Void> {
        try stamped("notification", by: "sent", overlap: overlap) {
            NotificationHistoryQuery(sentAfter: $0)
        } rows: { page in
            page.items.map { ($0.row(run.key), $0.sentDate) } + page.others.map { ($0.row(run.key), $0.sentDate) }
        }
    }

    private var overlap: TimeInterval { TimeInterval(run.options.overlap) * 86_400 }

    /// An hour of overlap: the stamps are the service's own, whose servers may differ by minutes.
    private func points(of namespace: String) throws -> Promise<Void> {
        try stamped(
            "device_data_point", namespace, by: "namespace = ? AND modified", [.text(namespace)], overlap: 3600
        ) {
            DeviceDataQuery(namespace: DeviceDataNamespace(rawValue: namespace), modifiedAfter: $0)
        } rows: { page in
            page.items.map { ($0.row(run.key), $0.modifiedDate) }
        }
    }

    private func externalAccounts() -> Promise<Void> {
        session.externalAccountList().done(on: run.history.queue) { accounts in
            try run.keep(
                accounts.items.map { $0.row(run.key) }, in: "external_account", areAll: accounts.unreadable.isEmpty)
        }
    }
}

// MARK: - Lists

extension ParticipantSteps {
    /// Reads a list that can be asked for what has a stamp after some moment: everything first, then what is new.
    ///
    /// The bookmark is the latest stamp of the service's own: no other clock has a say, so that none can be wrong. Of an
    /// answer of several pages it is the latest of the first one, because what changes while the others are read may
    /// stand on a page that was read before.
    ///
    /// - Parameters:
    ///   - stamp: the column of the stamp, behind what else tells the rows of this list.
    ///   - values: for the question marks in that.
    ///   - overlap: how long before the bookmark to begin, in seconds.
    ///   - rows: the rows of a page, each with its stamp.
    private func stamped<Query: PagedByID & Sendable>(
        _ list: String, _ name: String = "", by stamp: String, _ values: [SQLValue] = [], overlap: TimeInterval,
        _ query: @escaping @Sendable (_ since: Date?) -> Query,
        rows: @escaping @Sendable (Query.Page) -> [(row: [SQLValue], stamp: Date)]
    ) throws -> Promise<Void> {
        let now = run.options.now()
        return try run.resuming(list, name) { state in
            let since = state?.bookmark.flatMap { TimestampColumn.date($0) }.map { $0.addingTimeInterval(-overlap) }
            return run.walk(query(since), of: list, name, from: state, in: session) { page, state in
                let items = rows(page)
                let latest = items.map(\.stamp).max().map { TimestampColumn.text(min($0, now)) }
                state.nextBookmark = [state.nextBookmark ?? latest, state.bookmark].compactMap { $0 }.max()
                guard state.page == nil else { return (items.map(\.row), nil) }
                (state.bookmark, state.nextBookmark, state.isComplete) = (state.nextBookmark, nil, true)
                // A second later, for the service may have cut off fractions.
                let first = since.map { TimestampColumn.text($0.addingTimeInterval(1)) } ?? ""
                return (
                    items.map(\.row),
                    Table.Part(key: [run.key], condition: "\(stamp) > ?", values: values + [.text(first)])
                )
            }
        }
    }

    /// Reads survey tasks, which the service cannot be asked for by when they changed: newest first, as far back as one
    /// may have changed, which is one that was open or is no older than the overlap.
    private func tasks() throws -> Promise<Void> {
        try run.resuming("survey_task") { state in
            let end = state?.isComplete == true ? try run.history.read(changeable) : ""
            let query = SurveyTaskQuery(sortOrder: .dateDescending)
            return run.walk(query, of: "survey_task", from: state, in: session) { page, state in
                // A page of which nothing could be read does not say how far back it goes.
                let oldest = page.items.map(\.insertedDate).min().map { TimestampColumn.text($0) } ?? end
                let (rows, isLast) = (page.items.map { $0.row(run.key) }, state.page == nil)
                // Of a list that was read to its end before, there is no page to go on from.
                if state.isComplete { state.page = nil }
                guard isLast || oldest < end else { return (rows, nil) }
                state.isComplete = true
                return (
                    rows, Table.Part(key: [run.key], condition: "inserted > ?", values: [.text(isLast ? "" : oldest)])
                )
            }
        }
    }

    /// Since when tasks may have changed.
    private func changeable(_ database: Database) throws -> String {
        let open = try database.value(
            "SELECT min(inserted) FROM survey_task WHERE account = ? AND status = 'incomplete'", [run.key]
        ).text
        let newest = try database.value("SELECT max(inserted) FROM survey_task WHERE account = ?", [run.key]).text
        let recent = newest.flatMap { TimestampColumn.date($0) }.map {
            TimestampColumn.text($0.addingTimeInterval(-overlap))
        }
        return [open, recent].compactMap { $0 }.min() ?? ""
    }
}
