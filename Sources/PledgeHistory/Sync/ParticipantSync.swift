import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeCoding

/// One sync of a MyDataHelps participant. It reads one list after another.
struct ParticipantSync: Sendable {
    let client: ParticipantSession
    /// The service account that reads version 2 of the device data; nil to leave that data out.
    let serviceAccount: ServiceAccount?
    let session: SyncSession

    func all(_ participant: ParticipantInfo) throws -> Promise<Void> {
        try session.write { database in
            try session.checkOwner(
                [.text(participant.projectID.value), .text(participant.participantID.value)],
                storedAs: "SELECT project, id FROM participant WHERE account = ?", in: database)
            try session.resetStatesIfFullReadIsDue(in: database)
            try database.run(
                "UPDATE account SET first_name = ?, last_name = ?, time_zone = ? WHERE id = ?",
                [
                    SQLValue(participant.demographics.firstName), SQLValue(participant.demographics.lastName),
                    SQLValue(participant.demographics.timeZone), session.account,
                ])
            return try database.put([participant.row(session.account)], into: "participant").count
        }
        var lists: [(list: ListName, read: @Sendable () throws -> Promise<Void>)] = [
            (ListName("project"), project), (ListName("device_data_point"), deviceData),
            (ListName("survey_task"), tasks), (ListName("survey_answer"), answers),
            (ListName("notification"), notifications), (ListName("external_account"), externalAccounts),
        ]
        if let serviceAccount {
            lists.append((ListName("device_data_point_v2"), { deviceDataV2(of: participant, as: serviceAccount) }))
        }
        return session.inTurn(lists)
    }

    private func project() -> Promise<Void> {
        client.getProjectInfo().done(on: session.history.queue) { project in
            try session.write { try $0.put([project.row], into: "project").count }
        }
    }

    private func deviceData() -> Promise<Void> {
        client.getDataCollectionSettings().then(on: session.history.queue) { settings -> Promise<Void> in
            session.record(
                settings.unreadable, of: ListName("device_data_point"), read: settings.queryableDeviceDataTypes.count)
            return session.inTurn(
                settings.namespaces.map { namespace in
                    (ListName("device_data_point", namespace), { try points(of: namespace) })
                })
        }
    }

    private func answers() throws -> Promise<Void> {
        try stamped(ListName("survey_answer"), by: "inserted", overlap: overlap, in: { client.pages($0) }) {
            SurveyAnswersQuery(insertedAfter: $0)
        } rows: { page in
            page.items.map { ($0.row(session.account), $0.insertedDate) }
        }
    }

    private func notifications() throws -> Promise<Void> {
        try stamped(ListName("notification"), by: "sent", overlap: overlap, in: { client.pages($0) }) {
            NotificationHistoryQuery(sentAfter: $0)
        } rows: { page in
            page.items.map { ($0.row(session.account), $0.sentDate) }
                + page.others.map { ($0.row(session.account), $0.sentDate) }
        }
    }

    private var overlap: TimeInterval { TimeInterval(session.options.overlap) * 86_400 }

    /// Reads the data points of a namespace that changed since the last sync. An overlap of one hour is enough, because
    /// the service sets the timestamps, and the clocks of its servers differ only by minutes.
    private func points(of namespace: String) throws -> Promise<Void> {
        try stamped(
            ListName("device_data_point", namespace), by: "namespace = ? AND modified", [.text(namespace)],
            overlap: 3600,
            in: { client.pages($0) }
        ) {
            DeviceDataQuery(namespace: DeviceDataNamespace(rawValue: namespace), modifiedAfter: $0)
        } rows: { page in
            page.items.map { ($0.row(session.account), $0.modifiedDate) }
        }
    }

    /// Reads version 2 of the device data, one enabled type after another. If the service refuses one type, the other
    /// types are still read.
    private func deviceDataV2(of participant: ParticipantInfo, as account: ServiceAccount) -> Promise<Void> {
        account.deviceDataV2Types(in: participant.projectID).then(on: session.history.queue) { types -> Promise<Void> in
            session.record(types.unreadable, of: ListName("device_data_point_v2"), read: types.count)
            let enabled = types.filter { $0.isEnabled != false }.map { type in
                DeviceDataV2Query(
                    project: participant.projectID, namespace: type.namespace, type: type.type,
                    participantIdentifier: participant.participantIdentifier)
            }
            let queries = Dictionary(enabled.map { (ExactText($0.listName), $0) }, uniquingKeysWith: { one, _ in one })
            return session.inTurn(
                queries.sorted { $0.key < $1.key }.map { name, query in
                    (ListName("device_data_point_v2", name.text), { try points(query, as: account) })
                })
        }
    }

    /// Reads the data points of a type that were observed after the last known point, or in the overlap before it.
    ///
    /// A point that arrives late or is corrected is found only if it is in the overlap. It is not known whether the
    /// service can select points by the time of their last change, which would also find other such points.
    private func points(_ query: DeviceDataV2Query, as account: ServiceAccount) throws -> Promise<Void> {
        // The observation times are local times, and are stored as text that sorts by time. Here they are compared as
        // if they were in UTC. The margin is long enough to make up for the difference between local time and UTC.
        let margin = DeviceDataV2Query.observationMargin
        return try stamped(
            ListName("device_data_point_v2", query.listName), by: "namespace = ? AND type = ? AND observed_local",
            [.text(query.namespace.rawValue), .text(query.type)], overlap: overlap + margin, margin: margin,
            in: { account.pages($0) }
        ) { since in
            var query = query
            query.observedAfter = since
            return query
        } rows: { page in
            page.items.map { point in
                (point.row(session.account), point.observationDate.flatMap { TimestampColumn.date($0.localTime) })
            }
        }
    }

    private func externalAccounts() -> Promise<Void> {
        client.externalAccountsPage().done(on: session.history.queue) { accounts in
            let list = ListName("external_account")
            session.record(accounts.unreadable, of: list, read: accounts.items.count)
            try session.put(
                accounts.items.map { $0.row(session.account) }, of: list, areAll: accounts.unreadable.lost == 0)
        }
    }
}

// MARK: - Lists

extension ParticipantSync {
    /// Reads a list whose query can specify the earliest timestamp. The first sync reads the whole list, and later
    /// syncs read only the new items.
    ///
    /// The bookmark is the latest timestamp that the service has set. If that timestamp is in the future according to
    /// the local clock, the bookmark is the current time.
    ///
    /// If there are several pages, only the timestamps on the first page count. An item may change while later pages
    /// are read, and move to a page that was already read. The next sync must find such an item, so the bookmark must
    /// not be later than its change.
    ///
    /// - Parameters:
    ///   - stamp: The SQL name of the timestamp column. Conditions may stand before the name, as in
    ///     `namespace = ? AND modified`.
    ///   - values: The values for the question marks in these conditions.
    ///   - margin: The number of seconds, counted from the requested earliest timestamp, in which the service may leave
    ///     out items. Stored rows with a timestamp in this margin are not removed. The default is one second, because
    ///     the service may ignore fractions of a second.
    private func stamped<Query: PagedByID & Sendable>(
        _ list: ListName, by stamp: String, _ values: [SQLValue] = [], overlap: TimeInterval,
        margin: TimeInterval = 1, in pages: @escaping @Sendable (Query) -> PageSequence<Query>,
        _ query: @escaping @Sendable (_ since: Date?) -> Query,
        rows: @escaping @Sendable (Query.Page) -> [(row: [SQLValue], stamp: Date?)]
    ) throws -> Promise<Void> {
        let now = session.options.now()
        return try session.readResuming(list) { state in
            let since = state?.bookmark.flatMap { TimestampColumn.date($0) }.map { $0.addingTimeInterval(-overlap) }
            return session.readPages(query(since), of: list, from: state, in: pages) { page, state in
                let items = rows(page)
                let latest = items.compactMap(\.stamp).max().map { TimestampColumn.text(min($0, now)) }
                state.nextBookmark = [state.nextBookmark ?? latest, state.bookmark].compactMap { $0 }.max()
                var found = PageRows(rows: items.map(\.row), unreadable: page.unreadable, isLast: state.page == nil)
                guard found.isLast else { return found }
                state.bookmark = state.nextBookmark
                state.nextBookmark = nil
                let first = since.map { TimestampColumn.text($0.addingTimeInterval(margin)) } ?? ""
                found.covering = Table.Part(
                    key: [session.account], condition: "\(stamp) > ?", values: values + [.text(first)])
                return found
            }
        }
    }

    /// Reads survey tasks, newest first, back to the oldest task that may have changed. The service cannot select tasks
    /// by the time of their last change. A task may have changed if it was open at the last sync, or if it was inserted
    /// within the overlap.
    private func tasks() throws -> Promise<Void> {
        let list = ListName("survey_task")
        return try session.readResuming(list) { state in
            let end = state?.isComplete == true ? try session.history.withDatabase(changeable) : ""
            let query = SurveyTaskQuery(sortOrder: .dateDescending)
            return session.readPages(query, of: list, from: state, in: { client.pages($0) }) { page, state in
                // If no item on the page is readable, it is unknown how far back the page reaches. Reading then goes on
                // with the next page.
                let oldest = page.items.map(\.insertedDate).min().map { TimestampColumn.text($0) } ?? end
                let isEnd = state.page == nil
                // After the list has been read to its end once, a sync reads only its newest tasks, always beginning
                // with the first page. So no page to resume at is stored.
                if state.isComplete { state.page = nil }
                var found = PageRows(
                    rows: page.items.map { $0.row(session.account) }, unreadable: page.unreadable,
                    isLast: isEnd || oldest < end)
                guard found.isLast else { return found }
                state.isComplete = true
                found.covering = Table.Part(
                    key: [session.account], condition: "inserted > ?", values: [.text(isEnd ? "" : oldest)])
                return found
            }
        }
    }

    /// Returns the earliest insertion time of tasks that may have changed, or an empty text if all tasks may have
    /// changed.
    private func changeable(_ database: Database) throws -> String {
        let found = try database.rows(
            """
            SELECT min(CASE status WHEN 'incomplete' THEN inserted END), max(inserted) FROM survey_task
            WHERE account = ? AND removed IS NULL
            """, [session.account])[0]
        let newest = found[1].text.flatMap { TimestampColumn.date($0) }?.addingTimeInterval(-overlap)
        return [found[0].text, newest.map { TimestampColumn.text($0) }].compactMap { $0 }.min() ?? ""
    }
}

extension DeviceDataV2Query {
    /// The name of the list of these points in the table `sync_state`.
    fileprivate var listName: String { "\(namespace.rawValue)/\(type)" }
}
