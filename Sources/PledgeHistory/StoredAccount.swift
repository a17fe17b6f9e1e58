import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeCoding

/// An account in a history. Its methods turn the stored rows back into the types of the service's client, such as
/// `Attribute` or `SurveyTask`. That is the reverse of a sync.
package struct StoredAccount: Sendable {
    package let history: History
    private let row: StoredRow

    /// The name of the account in the history.
    package var name: String { row.text("name") }
    /// The time at which the account's last sync began; nil if there was none.
    package var synced: Date? { row.date("synced") }
    /// The name of the account's owner in the service: the user name in Exist, or the participant identifier in
    /// MyDataHelps.
    package var ownName: String? { row["own_name"].text }

    /// Returns the accounts of a service, sorted by name.
    package static func all(of service: String, in history: History) throws -> [StoredAccount] {
        try history.stored(
            """
            SELECT *, (SELECT started FROM sync_run WHERE account = account.id ORDER BY id DESC LIMIT 1) AS synced,
                coalesce(username, (SELECT identifier FROM participant WHERE account = account.id)) AS own_name
            FROM account WHERE service = ? ORDER BY name
            """, [.text(service)]
        ).map { StoredAccount(history: history, row: $0) }
    }

    var key: SQLValue { row["id"] }

    /// Returns the rows of this account in a table. `condition` adds SQL conditions and the order of the rows. In a
    /// table that keeps removed rows, `condition` must exclude those rows.
    func rows(of table: String, _ condition: String = "", _ values: [SQLValue] = []) throws -> [StoredRow] {
        try history.stored("SELECT * FROM \(table) WHERE account = ? \(condition)", [key] + values)
    }

    /// The account's user in Exist, as Exist described the user at the last sync.
    package var user: User {
        User(
            username: row["username"].text ?? name, firstName: row.text("first_name"), lastName: row.text("last_name"),
            timezone: row.text("time_zone"), utcOffset: row["utc_offset"].integer,
            imperialDistance: row.flag("imperial_distance"), imperialWeight: row.flag("imperial_weight"),
            imperialEnergy: row.flag("imperial_energy"), imperialLiquid: row.flag("imperial_liquid"),
            imperialTemperature: row.flag("imperial_temperature"))
    }

    /// The day of the last sync, in the user's time zone and by the service's clock.
    package var day: ExistDay? { row.day("day") }
}

/// A row whose values are accessed by the names of their columns.
struct StoredRow: Sendable {
    let columns: [String: Int]
    let values: [SQLValue]

    subscript(_ column: String) -> SQLValue { columns[column].map { values[$0] } ?? .null }

    func text(_ column: String) -> String { self[column].text ?? "" }
    func integer(_ column: String) -> Int { self[column].integer ?? 0 }
    func flag(_ column: String) -> Bool { self[column] == 1 }
    func day(_ column: String) -> ExistDay? { self[column].text.flatMap { ExistDay($0) } }
    func date(_ column: String) -> Date? { self[column].text.flatMap { TimestampColumn.date($0) } }
}

extension History {
    /// Returns the service and the name of each account, sorted by service and then by name.
    package func accounts() throws -> [(service: Service, name: String)] {
        try query("SELECT service, name FROM account ORDER BY service, name").rows.compactMap { row in
            guard let service = row[0].text.flatMap(Service.init), let name = row[1].text else { return nil }
            return (service, name)
        }
    }

    func stored(_ sql: String, _ values: [SQLValue]) throws -> [StoredRow] {
        let result = try query(sql, values)
        let columns = Dictionary(zip(result.columns, result.columns.indices), uniquingKeysWith: { first, _ in first })
        return result.rows.map { StoredRow(columns: columns, values: $0) }
    }
}

extension StoredAccount {
    /// Returns the attributes that Exist lists by default: those that are in use and not of low priority. Each
    /// attribute has its stored values for the given range of days.
    package func attributes(from first: ExistDay, through last: ExistDay) throws -> [Attribute] {
        var values: [ExactText: [Attribute.DayValue]] = [:]
        for row in try rows(
            of: "value", "AND removed IS NULL AND day BETWEEN ? AND ?", [SQLValue(first), SQLValue(last)])
        {
            guard let day = row.day("day"), let value = AttributeValue(row["value"]) else { continue }
            values[ExactText(row.text("attribute")), default: []].append(.init(day: day, value: value))
        }
        return try rows(of: "attribute", "AND removed IS NULL AND coalesce(active, 1) AND priority < 10").map {
            var attribute = Attribute($0)
            attribute.values = values[ExactText(attribute.name)] ?? []
            return attribute
        }
    }

    package func averages() throws -> [Average] {
        try rows(of: "average").compactMap { row in
            guard let day = row.day("day") else { return nil }
            let weekdays = ExistDay.Weekday.allCases.compactMap { weekday in
                row[weekday.rawValue].real.map { (weekday, $0) }
            }
            return Average(
                attribute: row.text("attribute"), day: day, overall: row["overall"].real,
                weekdays: Dictionary(weekdays, uniquingKeysWith: { first, _ in first }))
        }
    }

    package func correlations() throws -> [Correlation] {
        try rows(of: "correlation").compactMap { row in
            guard let day = row.day("day"), let value = row["value"].real else { return nil }
            return Correlation(
                day: day, attribute: row.text("attribute"), attribute2: row.text("attribute2"), value: value,
                period: row["period"].integer, offset: row["days_between"].integer, p: row["p"].real,
                percentage: row["percentage"].real, stars: row["stars"].integer, secondPerson: row["sentence"].text,
                // The category is part of the table's key. Key columns cannot be null, so they store an empty text
                // instead.
                attributeCategory: row["category"] == "" ? nil : row["category"].text,
                strengthDescription: row["strength"].text, starsDescription: row["certainty"].text,
                description: row["description"].text,
                occurrence: row["occurrence"].text)
        }
    }

    /// Returns the insights for a range of days, newest first. An insight for a week or month has no day, so it counts
    /// for the day before its creation.
    package func insights(from first: ExistDay, through last: ExistDay) throws -> [Insight] {
        try rows(
            of: "insight",
            """
            AND removed IS NULL AND coalesce(day, date(created, coalesce(created_offset, 0) || ' seconds', '-1 day')) BETWEEN ? AND ?
            ORDER BY created DESC, type
            """, [SQLValue(first), SQLValue(last)]
        ).compactMap { row in
            guard let created = row.date("created") else { return nil }
            let type = InsightType(
                name: row.text("type"), period: row["period"].integer, priority: row["priority"].integer,
                attribute: row["attribute"].text.map { InsightAttribute(name: $0) })
            return Insight(
                created: created, targetDay: row.day("day"), type: type, text: row.text("text"), html: row.text("html"))
        }
    }

    /// Returns the first day for which any value is stored; nil if no values are stored.
    package func firstDay() throws -> ExistDay? {
        try history.query(
            """
            SELECT min(day) FROM attribute JOIN value USING (account)
            WHERE account = ? AND value.attribute = attribute.name AND attribute.removed IS NULL AND value.removed IS NULL
            """, [key]
        ).rows[0][0].text.flatMap { ExistDay($0) }
    }

    /// Returns the number of attributes for which the first sync has not yet read all values since the given day.
    package func unfinished(since first: ExistDay) throws -> Int {
        try history.query(
            """
            SELECT count(*) FROM attribute AS a
            LEFT JOIN sync_state AS s ON s.account = a.account AND s.list = 'value' AND s.name = a.name
            WHERE a.account = ? AND removed IS NULL AND coalesce(active, 1) AND priority < 10
                AND NOT coalesce(is_complete, 0) AND coalesce(oldest, '9999') > ?
            """, [key, SQLValue(first)]
        ).rows.first?.first?.integer ?? 0
    }
}

extension Attribute {
    fileprivate init(_ row: StoredRow) {
        self.init(
            name: row.text("name"), label: row["label"].text,
            group: AttributeGroup(
                name: row.text("group_name"), label: row["group_label"].text, priority: row.integer("group_priority")),
            valueType: ValueType(rawValue: row.integer("value_type")), template: row["template"].text,
            serviceInfo: row["service"].text.map { AttributeService(name: $0) },
            active: row["active"].integer.map { $0 == 1 }, priority: row.integer("priority"),
            manual: row["manual"].integer.map { $0 == 1 }, valueTypeDescription: row["value_type_name"].text)
    }
}

extension AttributeValue {
    fileprivate init?(_ column: SQLValue) {
        switch column {
        case .null: return nil
        case .integer(let number): self = .integer(number)
        case .real(let number): self = .decimal(number)
        case .text(let text): self = .text(text)
        }
    }
}

extension StoredAccount {
    /// Returns the participant's name or, if there is none, the participant identifier.
    package func participantName() throws -> String {
        let row = try rows(of: "participant").first
        let words = ["first_name", "last_name"].compactMap { row?[$0].text }.filter { !$0.isEmpty }
        return words.isEmpty ? row?["identifier"].text ?? name : words.joined(separator: " ")
    }

    /// Returns the data points of the given namespaces that were observed between two dates. Both dates are exclusive,
    /// as in the service's queries. The returned points lack their source and their properties.
    package func deviceData(
        of namespaces: [DeviceDataNamespace], after first: Date, before last: Date
    ) throws -> [DeviceDataPoint] {
        let marks = namespaces.map { _ in "?" }.joined(separator: ", ")
        return try rows(
            of: "device_data_point",
            "AND removed IS NULL AND namespace IN (\(marks)) AND observed > ? AND observed < ?",
            namespaces.map { .text($0.rawValue) } + [SQLValue(first), SQLValue(last)]
        ).map { row in
            DeviceDataPoint(
                id: .init(row.text("id")), namespace: .init(rawValue: row.text("namespace")), type: row.text("type"),
                value: row["value_text"].text ?? row["value"].description, units: row["units"].text,
                identifier: row["identifier"].text,
                startDate: row.date("started"), observationDate: row.date("observed"),
                insertedDate: row.date("inserted") ?? .distantPast, modifiedDate: row.date("modified"),
                deviceDataContextID: row["context"].text.map { .init($0) })
        }
    }

    /// Returns the data points of version 2 of the device data that belong to a range of days.
    package func deviceDataV2(from first: ExistDay, through last: ExistDay) throws -> [DeviceDataPointV2] {
        func members(_ json: String) -> [String: JSONValue] {
            (try? JSONDecoder().decode([String: JSONValue].self, from: Data(json.utf8))) ?? [:]
        }
        return try rows(
            of: "device_data_point_v2", "AND removed IS NULL AND day BETWEEN ? AND ?",
            [.text(first.description), .text(last.description)]
        ).map { row in
            func date(_ name: String) -> ObservedDate? {
                row["\(name)_local"].text.flatMap { ObservedDate($0, utcOffset: row["\(name)_offset"].integer) }
            }
            return DeviceDataPointV2(
                id: .init(row.text("id")), namespace: .init(rawValue: row.text("namespace")), type: row.text("type"),
                value: row["value_text"].text ?? row["value"].description, units: row["units"].text,
                identifier: row["identifier"].text, properties: members(row.text("properties")),
                dataSource: members(row.text("data_source")), startDate: date("started"),
                observationDate: date("observed"), insertedDate: row.date("inserted") ?? .distantPast,
                modifiedDate: row.date("modified"))
        }
    }

    /// Returns the survey tasks that were open at the last sync, newest first.
    package func openTasks() throws -> [SurveyTask] {
        try rows(of: "survey_task", "AND removed IS NULL AND status = 'incomplete' ORDER BY inserted DESC, id").map {
            row in
            SurveyTask(
                id: .init(row.text("id")), surveyID: .init(row.text("survey_id")), surveyName: row.text("survey"),
                surveyDisplayName: row["title"].text, surveyDescription: row.text("description"),
                startDate: row.date("started"), endDate: row.date("ended"), status: .init(rawValue: row.text("status")),
                hasSavedProgress: row.flag("has_saved_progress"), dueDate: row.date("due"),
                insertedDate: row.date("inserted") ?? .distantPast, modifiedDate: row.date("modified"),
                linkIdentifier: row["link_identifier"].text)
        }
    }

    /// Returns the survey answers that were given between two dates, newest first. Both dates are exclusive.
    package func answers(after first: Date, before last: Date) throws -> [SurveyAnswer] {
        try rows(
            of: "survey_answer", "AND removed IS NULL AND answered > ? AND answered < ? ORDER BY answered DESC, id",
            [SQLValue(first), SQLValue(last)]
        ).map { row in
            SurveyAnswer(
                id: .init(row.text("id")), surveyResultID: .init(row.text("result")),
                surveyID: .init(row.text("survey_id")), surveyVersion: row.integer("version"),
                taskID: row["task"].text.map { .init($0) }, surveyName: row.text("survey"),
                surveyDisplayName: row["title"].text, date: row.date("answered"), stepIdentifier: row.text("step"),
                resultIdentifier: row["question"].text,
                answers: (try? JSONDecoder().decode([String].self, from: Data(row.text("answers").utf8))) ?? [],
                insertedDate: row.date("inserted") ?? .distantPast)
        }
    }

    package func externalAccounts() throws -> [ExternalAccount] {
        try rows(of: "external_account", "AND removed IS NULL ORDER BY id").map { row in
            ExternalAccount(
                id: .init(row.integer("id")), status: .init(rawValue: row.text("status")),
                provider: ExternalAccountProvider(
                    id: .init(row.integer("provider_id")), name: row.text("provider"),
                    category: .init(rawValue: row.text("category"))),
                lastRefreshDate: row.date("refreshed"))
        }
    }
}
