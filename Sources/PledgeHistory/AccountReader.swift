import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeCoding

/// Reads the data of an account in a history. Its methods return the types of the service's client, such as `Attribute`
/// or `SurveyTask`.
package struct AccountReader: Sendable {
    package let history: History
    private let row: StoredRow

    /// The name of the account in the history.
    package var name: String { row.text("name") }
    /// The time at which the latest successful sync began; nil if there was none.
    package var synced: Date? { row.date("synced") }
    /// The time at which the latest sync began, even if it failed, was interrupted, or is still in progress; nil if
    /// there was none.
    package var latest: Date? { row.date("latest") }
    /// Whether the latest sync was successful: it has ended, and neither failed nor was interrupted.
    package var latestSucceeded: Bool { row.text("outcome") == "done" }
    /// The time zone of the account's owner; nil if it is unknown.
    package var timeZone: TimeZone? { row["time_zone"].text.flatMap { TimeZone(ofService: $0) } }
    /// The name of the account's owner in the service: the user name in Exist, or the participant identifier in
    /// MyDataHelps.
    package var ownName: String? { row["own_name"].text }

    /// Returns the accounts of a service, sorted by name.
    package static func all(of service: History.Service, in history: History) throws -> [AccountReader] {
        try history.storedRows(
            """
            SELECT *, (SELECT started FROM sync_run WHERE account = account.id AND outcome = 'done' ORDER BY id DESC LIMIT 1)
                AS synced,
                (SELECT started FROM sync_run WHERE account = account.id ORDER BY id DESC LIMIT 1) AS latest,
                (SELECT outcome FROM sync_run WHERE account = account.id ORDER BY id DESC LIMIT 1) AS outcome,
                coalesce(username, (SELECT identifier FROM participant WHERE account = account.id)) AS own_name
            FROM account WHERE service = ? ORDER BY name
            """, [.text(service.rawValue)]
        ).map { AccountReader(history: history, row: $0) }
    }

    /// Returns the rows of this account in a table. `condition` adds SQL conditions and the order of the rows. In a
    /// table that keeps removed rows, `condition` must exclude those rows.
    private func rows(of table: String, _ condition: String = "", _ values: [SQLValue] = []) throws -> [StoredRow] {
        try history.storedRows("SELECT * FROM \(table) WHERE account = ? \(condition)", [row["id"]] + values)
    }

    /// The account's user in Exist, as Exist described the user at the last sync.
    package var user: User { User(row) }

    /// The day of the last sync, in the user's time zone and by the service's clock.
    package var day: ExistDay? { row.day("day") }
}

extension History {
    /// Returns the service and the name of each account, sorted by service and then by name.
    package func accounts() throws -> [(service: Service, name: String)] {
        try query("SELECT service, name FROM account ORDER BY service, name").rows.compactMap { row in
            guard let service = row[0].text.flatMap(Service.init), let name = row[1].text else { return nil }
            return (service, name)
        }
    }
}

extension AccountReader {
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
        return try listedAttributes().map { attribute in
            var attribute = attribute
            attribute.values = values[ExactText(attribute.name)] ?? []
            return attribute
        }
    }

    private func listedAttributes() throws -> [Attribute] {
        try rows(of: "attribute", "AND removed IS NULL").map { Attribute($0) }.filter(\.isListed)
    }

    package func averages() throws -> [Average] { try rows(of: "average").compactMap { Average($0) } }

    package func correlations() throws -> [Correlation] { try rows(of: "correlation").compactMap { Correlation($0) } }

    /// Returns the insights for a range of days, newest first. An insight for a week or month has no day, so it counts
    /// for the day before its creation.
    package func insights(from first: ExistDay, through last: ExistDay) throws -> [Insight] {
        try rows(
            of: "insight",
            """
            AND removed IS NULL AND coalesce(day, date(created, coalesce(created_offset, 0) || ' seconds', '-1 day')) BETWEEN ? AND ?
            ORDER BY created DESC, type
            """, [SQLValue(first), SQLValue(last)]
        ).compactMap { Insight($0) }
    }

    /// Returns the first day for which any value is stored; nil if no values are stored.
    package func firstDay() throws -> ExistDay? {
        try history.query(
            """
            SELECT min(day) FROM attribute JOIN value USING (account)
            WHERE account = ? AND value.attribute = attribute.name AND attribute.removed IS NULL AND value.removed IS NULL
            """, [row["id"]]
        ).rows[0][0].text.flatMap { ExistDay($0) }
    }

    /// Returns the number of attributes for which the first sync has not yet read all values since the given day.
    package func unfinished(since first: ExistDay) throws -> Int {
        let states = try rows(of: "sync_state", "AND list = 'value'")
        let finished = states.filter { state in
            state.flag("is_complete") || state.day("oldest").map { $0 <= first } == true
        }
        let names = Set(finished.map { ExactText($0.text("name")) })
        return try listedAttributes().count { !names.contains(ExactText($0.name)) }
    }
}

extension AccountReader {
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
        ).map { DeviceDataPoint($0) }
    }

    /// Returns the data points of version 2 of the device data that belong to a range of days.
    package func deviceDataV2(from first: ExistDay, through last: ExistDay) throws -> [DeviceDataPointV2] {
        try rows(
            of: "device_data_point_v2", "AND removed IS NULL AND day BETWEEN ? AND ?",
            [SQLValue(first), SQLValue(last)]
        ).map { DeviceDataPointV2($0) }
    }

    /// Returns the survey tasks that were open at the last sync, newest first.
    package func openTasks() throws -> [SurveyTask] {
        try rows(of: "survey_task", "AND removed IS NULL AND status = 'incomplete' ORDER BY inserted DESC, id").map {
            SurveyTask($0)
        }
    }

    /// Returns the survey answers that were given between two dates, newest first. Both dates are exclusive.
    package func answers(after first: Date, before last: Date) throws -> [SurveyAnswer] {
        try rows(
            of: "survey_answer", "AND removed IS NULL AND answered > ? AND answered < ? ORDER BY answered DESC, id",
            [SQLValue(first), SQLValue(last)]
        ).map { SurveyAnswer($0) }
    }

    package func externalAccounts() throws -> [ExternalAccount] {
        try rows(of: "external_account", "AND removed IS NULL ORDER BY id").map { ExternalAccount($0) }
    }
}
