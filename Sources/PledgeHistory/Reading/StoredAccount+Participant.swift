import ExistKit
import Foundation
import MyDataHelpsKit

extension StoredAccount {
    /// Returns the participant's name or, if there is none, the participant identifier.
    package func participantName() throws -> String {
        let row = try rows(of: "participant").first
        let words = ["first_name", "last_name"].compactMap { row?[$0].text }.filter { !$0.isEmpty }
        return words.isEmpty ? row?["identifier"].text ?? name : words.joined(separator: " ")
    }

    /// Returns the data points of the given namespaces observed between two dates, both exclusive, as in the service.
    /// They are without their source and properties.
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

    /// Returns the data points of version 2 that belong to some days.
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

    /// Returns the tasks that were open at the last sync, newest first.
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

    /// Returns the answers given between two dates, both exclusive, newest first.
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
