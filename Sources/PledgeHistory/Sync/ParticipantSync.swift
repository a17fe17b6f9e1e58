import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeCoding

/// One sync of a MyDataHelps participant. It reads one list after another.
struct ParticipantSync: Sendable {
    let session: ParticipantSession
    /// The service account that reads version 2 of the device data; nil to leave that data out.
    let serviceAccount: ServiceAccount?
    let run: SyncRun

    func all(_ participant: ParticipantInfo) throws -> Promise<Void> {
        try run.write { database in
            try run.identify(
                "SELECT project, id FROM participant WHERE account = ?",
                [.text(participant.projectID.value), .text(participant.participantID.value)], in: database)
            try database.run(
                "UPDATE account SET first_name = ?, last_name = ?, time_zone = ? WHERE id = ?",
                [
                    SQLValue(participant.demographics.firstName), SQLValue(participant.demographics.lastName),
                    SQLValue(participant.demographics.timeZone), run.key,
                ])
            return try database.put([participant.row(run.key)], into: "participant")
        }
        var lists: [(list: ListName, read: @Sendable () throws -> Promise<Void>)] = [
            (ListName("project"), project), (ListName("device_data_point"), deviceData),
            (ListName("survey_task"), tasks), (ListName("survey_answer"), answers),
            (ListName("notification"), notifications), (ListName("external_account"), externalAccounts),
        ]
        if let serviceAccount {
            lists.append((ListName("device_data_point_v2"), { deviceDataV2(of: participant, as: serviceAccount) }))
        }
        return run.inTurn(lists)
    }

    private func project() -> Promise<Void> {
        session.getProjectInfo().done(on: run.history.queue) { project in
            try run.write { try $0.put([project.row], into: "project") }
        }
    }

    private func deviceData() -> Promise<Void> {
        session.getDataCollectionSettings().then(on: run.history.queue) { settings -> Promise<Void> in
            run.record(
                settings.unreadable, of: ListName("device_data_point"), read: settings.queryableDeviceDataTypes.count)
            let sources = Set(settings.queryableDeviceDataTypes.map { ExactText($0.namespace.rawValue) }).sorted()
            return run.inTurn(
                sources.map { source in
                    (ListName("device_data_point", source.text), { try points(of: source.text) })
                })
        }
    }

    private func answers() throws -> Promise<Void> {
        try stamped("survey_answer", by: "inserted", overlap: overlap, in: { session.pages($0) }) {
            SurveyAnswersQuery(insertedAfter: $0)
        } rows: { page in
            page.items.map { ($0.row(run.key), $0.insertedDate) }
        }
    }

    private func notifications() throws -> Promise<Void> {
        try stamped("notification", by: "sent", overlap: overlap, in: { session.pages($0) }) {
            NotificationHistoryQuery(sentAfter: $0)
        } rows: { page in
            page.items.map { ($0.row(run.key), $0.sentDate) } + page.others.map { ($0.row(run.key), $0.sentDate) }
        }
    }

    private var overlap: TimeInterval { TimeInterval(run.options.overlap) * 86_400 }

    /// Reads the data points of a namespace that changed since the last sync. An overlap of one hour is enough, because
    /// the service sets the timestamps, and the clocks of its servers differ only by minutes.
    private func points(of namespace: String) throws -> Promise<Void> {
        try stamped(
            "device_data_point", namespace, by: "namespace = ? AND modified", [.text(namespace)], overlap: 3600,
            in: { session.pages($0) }
        ) {
            DeviceDataQuery(namespace: DeviceDataNamespace(rawValue: namespace), modifiedAfter: $0)
        } rows: { page in
            page.items.map { ($0.row(run.key), $0.modifiedDate) }
        }
    }

    /// Reads version 2 of the device data, one enabled type after another. If the service refuses one type, the other
    /// types are still read.
    private func deviceDataV2(of participant: ParticipantInfo, as account: ServiceAccount) -> Promise<Void> {
        account.deviceDataV2Types(in: participant.projectID).then(on: run.history.queue) { types -> Promise<Void> in
            run.record(types.unreadable, of: ListName("device_data_point_v2"), read: types.count)
            let enabled = types.filter { $0.isEnabled != false }.map { type in
                DeviceDataV2Query(
                    project: participant.projectID, namespace: type.namespace, type: type.type,
                    participantIdentifier: participant.participantIdentifier)
            }
            let queries = Dictionary(enabled.map { (ExactText($0.listName), $0) }, uniquingKeysWith: { one, _ in one })
            return run.inTurn(
                queries.sorted { $0.key < $1.key }.map { name, query in
                    (ListName("device_data_point_v2", name.text), { try points(query, as: account) })
                })
        }
    }

    /// Reads the data points of a type that were observed after the last known point, or in the overlap before it.
    ///
    /// A point that arrives late or is corrected is found only if it is in the overlap. It is not known whether the
    /// service can select points by the time of their last change.
    private func points(_ query: DeviceDataV2Query, as account: ServiceAccount) throws -> Promise<Void> {
        let key: [SQLValue] = [.text(query.namespace.rawValue), .text(query.type)]
        let table = "device_data_point_v2"
        // The observation times are local times, and are stored as text that sorts by time. Here they are compared as
        // if they were in UTC. The margin is long enough to make up for the difference between local time and UTC.
        let margin = DeviceDataV2Query.observationMargin
        return try stamped(
            table, query.listName, by: "namespace = ? AND type = ? AND observed_local", key, overlap: overlap + margin,
            margin: margin, in: { account.pages($0) }
        ) { since in
            var query = query
            query.observedAfter = since
            return query
        } rows: { page in
            page.items.map { point in
                (point.row(run.key), point.observationDate.flatMap { TimestampColumn.date($0.localTime) })
            }
        }
    }

    private func externalAccounts() -> Promise<Void> {
        session.externalAccountsPage().done(on: run.history.queue) { accounts in
            run.record(accounts.unreadable, of: ListName("external_account"), read: accounts.items.count)
            try run.put(
                accounts.items.map { $0.row(run.key) }, in: "external_account", areAll: accounts.unreadable.lost == 0)
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
        _ list: String, _ name: String = "", by stamp: String, _ values: [SQLValue] = [], overlap: TimeInterval,
        margin: TimeInterval = 1, in pages: @escaping @Sendable (Query) -> PageSequence<Query>,
        _ query: @escaping @Sendable (_ since: Date?) -> Query,
        rows: @escaping @Sendable (Query.Page) -> [(row: [SQLValue], stamp: Date?)]
    ) throws -> Promise<Void> {
        let now = run.options.now()
        return try run.resuming(list, name) { state in
            let since = state?.bookmark.flatMap { TimestampColumn.date($0) }.map { $0.addingTimeInterval(-overlap) }
            return run.walk(query(since), of: list, name, from: state, in: pages) { page, state in
                let items = rows(page)
                let latest = items.compactMap(\.stamp).max().map { TimestampColumn.text(min($0, now)) }
                state.nextBookmark = [state.nextBookmark ?? latest, state.bookmark].compactMap { $0 }.max()
                guard state.page == nil else { return (items.map(\.row), nil) }
                state.bookmark = state.nextBookmark
                state.nextBookmark = nil
                let first = since.map { TimestampColumn.text($0.addingTimeInterval(margin)) } ?? ""
                return (
                    items.map(\.row),
                    Table.Part(key: [run.key], condition: "\(stamp) > ?", values: values + [.text(first)])
                )
            }
        }
    }

    /// Reads survey tasks, newest first, back to the oldest task that may have changed. The service cannot select tasks
    /// by the time of their last change. A task may have changed if it was open at the last sync, or if it was inserted
    /// within the overlap.
    private func tasks() throws -> Promise<Void> {
        try run.resuming("survey_task") { state in
            let end = state?.isComplete == true ? try run.history.read(changeable) : ""
            let query = SurveyTaskQuery(sortOrder: .dateDescending)
            return run.walk(query, of: "survey_task", from: state, in: { session.pages($0) }) { page, state in
                // If no item on the page is readable, it is unknown how far back the page reaches. Reading then goes on
                // with the next page.
                let oldest = page.items.map(\.insertedDate).min().map { TimestampColumn.text($0) } ?? end
                let rows = page.items.map { $0.row(run.key) }
                let isLast = state.page == nil
                // After the list has been read to its end once, a sync reads only its newest tasks, always beginning
                // with the first page. So no page to resume at is stored.
                if state.isComplete { state.page = nil }
                guard isLast || oldest < end else { return (rows, nil) }
                state.isComplete = true
                return (
                    rows, Table.Part(key: [run.key], condition: "inserted > ?", values: [.text(isLast ? "" : oldest)])
                )
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
            """, [run.key])[0]
        let newest = found[1].text.flatMap { TimestampColumn.date($0) }?.addingTimeInterval(-overlap)
        return [found[0].text, newest.map { TimestampColumn.text($0) }].compactMap { $0 }.min() ?? ""
    }
}

extension DeviceDataV2Query {
    /// The name of the list of these points in the table `sync_state`.
    fileprivate var listName: String { "\(namespace.rawValue)/\(type)" }
}

extension SQLValue {
    /// Creates a number if the text is a number in its usual form, such as `7` or `7.50`. Otherwise, creates text.
    /// Examples are a postal code (`02134`), and a whole number that is too large for an integer. See also
    /// ``exactText(_:)``.
    init(reading text: String) {
        let digits = text.utf8.drop { $0 == UInt8(ascii: "-") }
        if let number = Int(text), "\(number)" == text {
            self = .integer(number)
        } else if digits.contains(UInt8(ascii: ".")),
            digits.first != UInt8(ascii: "0") || digits.dropFirst().first == UInt8(ascii: "."),
            text.utf8.allSatisfy({ Self.decimal.contains($0) }), let number = Double(text), number.isFinite
        {
            self = .real(number)
        } else {
            self = .text(text)
        }
    }

    private static let decimal = Set("-.0123456789".utf8)

    /// Returns the text that this value was created from, or null if the value has the same text. For example, `7.50`
    /// becomes the number 7.5, so the text has to be stored, too. For `7.5`, the number is enough.
    func exactText(_ text: String) -> SQLValue { description == text ? .null : .text(text) }
}

extension ParticipantInfo {
    func row(_ account: SQLValue) -> [SQLValue] {
        let who = demographics
        return [
            account, .text(participantID.value), .text(participantIdentifier), SQLValue(secondaryIdentifier),
            SQLValue(linkIdentifier), .text(projectID.value), SQLValue(enrollmentDate),
            SQLValue(who.firstName), SQLValue(who.middleName), SQLValue(who.lastName), SQLValue(who.email),
            SQLValue(who.mobilePhone), SQLValue(who.street1), SQLValue(who.street2), SQLValue(who.city),
            SQLValue(who.state), SQLValue(who.postalCode), SQLValue(who.dateOfBirth),
            SQLValue(who.preferredLanguage), SQLValue(who.gender?.rawValue), SQLValue(who.timeZone),
            SQLValue(who.utcOffset), SQLValue(who.isUnsubscribedFromEmails), SQLValue(who.isUnsubscribedFromSMS),
            .text(JSONColumn.text(customFields)),
        ]
    }
}

extension ProjectInfo {
    var row: [SQLValue] {
        [
            .text(id.value), .text(name), SQLValue(description), .text(code), .text(type.rawValue),
            .text(organization.id.value), .text(organization.name), SQLValue(supportEmail), SQLValue(supportPhone),
            SQLValue(learnMoreURL?.absoluteString),
        ]
    }
}

extension DeviceDataPoint {
    func row(_ account: SQLValue) -> [SQLValue] {
        let number = SQLValue(reading: value)
        return [
            account, .text(id.value), .text(namespace.rawValue), .text(type), number,
            SQLValue(units), SQLValue(startDate), SQLValue(startOffset), SQLValue(observationDate),
            SQLValue(observationOffset), SQLValue(insertedDate), SQLValue(modifiedDate),
            SQLValue(identifier), SQLValue(deviceDataContextID?.value), SQLValue(source?.identifier),
            SQLValue(source.map { JSONColumn.text($0.properties) }), .text(JSONColumn.text(properties)),
            number.exactText(value),
        ]
    }
}

extension DeviceDataPointV2 {
    func row(_ account: SQLValue) -> [SQLValue] {
        let number = SQLValue(reading: value)
        return [
            account, .text(id.value), .text(namespace.rawValue), .text(type), SQLValue(day), number, SQLValue(units),
            SQLValue(startDate?.localTime), SQLValue(startDate?.utcOffset), SQLValue(observationDate?.localTime),
            SQLValue(observationDate?.utcOffset), SQLValue(insertedDate), SQLValue(modifiedDate), SQLValue(identifier),
            .text(JSONColumn.text(properties)), .text(JSONColumn.text(dataSource)), number.exactText(value),
        ]
    }
}

extension SurveyTask {
    func row(_ account: SQLValue) -> [SQLValue] {
        [
            account, .text(id.value), .text(surveyID.value), .text(surveyName), .text(surveyDisplayName),
            .text(surveyDescription), .text(status.rawValue), SQLValue(hasSavedProgress), SQLValue(startDate),
            SQLValue(startOffset), SQLValue(endDate), SQLValue(endOffset), SQLValue(dueDate),
            SQLValue(dueOffset), SQLValue(insertedDate), SQLValue(modifiedDate),
            SQLValue(linkIdentifier),
        ]
    }
}

extension SurveyAnswer {
    func row(_ account: SQLValue) -> [SQLValue] {
        [
            account, .text(id.value), .text(surveyResultID.value), .text(surveyID.value), .text(surveyName),
            .text(surveyDisplayName), .integer(surveyVersion), SQLValue(taskID?.value), .text(stepIdentifier),
            .text(resultIdentifier), answers.count == 1 ? SQLValue(reading: answers[0]) : nil,
            .text(JSONColumn.text(answers)), SQLValue(date), SQLValue(dateOffset),
            SQLValue(insertedDate),
        ]
    }
}

extension NotificationHistoryModel {
    func row(_ account: SQLValue) -> [SQLValue] {
        var (title, body): (String?, String?)
        switch content {
        case .sms(let content): body = content?.body
        case .push(let content): (title, body) = (content?.title, content?.body)
        case .email(let content): title = content?.subject
        }
        return [
            account, .text(id.value), .text(identifier), .text(type.rawValue), .text(statusCode.rawValue),
            SQLValue(sentDate), SQLValue(title), SQLValue(body), nil,
        ]
    }
}

extension OtherNotification {
    func row(_ account: SQLValue) -> [SQLValue] {
        [
            account, .text(id.value), .text(identifier), .text(type), .text(statusCode.rawValue),
            SQLValue(sentDate), nil, nil, SQLValue(content.map { JSONColumn.text($0) }),
        ]
    }
}

extension ExternalAccount {
    func row(_ account: SQLValue) -> [SQLValue] {
        [
            account, .integer(id.value), .integer(provider.id.value), .text(provider.name),
            .text(provider.category.rawValue), .text(status.rawValue), SQLValue(lastRefreshDate),
        ]
    }
}
