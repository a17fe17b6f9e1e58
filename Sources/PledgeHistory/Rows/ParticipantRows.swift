import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeCoding

// Each model of MyDataHelps, as a row of its table and, if a report needs it, back. The columns of a row are in the order
// of the table's columns.

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

    /// Creates a data point without its source and its properties.
    init(_ row: StoredRow) {
        self.init(
            id: .init(row.text("id")), namespace: .init(rawValue: row.text("namespace")), type: row.text("type"),
            value: row["value_text"].text ?? row["value"].description, units: row["units"].text,
            identifier: row["identifier"].text, startDate: row.date("started"), observationDate: row.date("observed"),
            insertedDate: row.date("inserted") ?? .distantPast, modifiedDate: row.date("modified"),
            deviceDataContextID: row["context"].text.map { .init($0) })
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

    init(_ row: StoredRow) {
        func date(_ name: String) -> ObservedDate? {
            row["\(name)_local"].text.flatMap { ObservedDate($0, utcOffset: row["\(name)_offset"].integer) }
        }
        self.init(
            id: .init(row.text("id")), namespace: .init(rawValue: row.text("namespace")), type: row.text("type"),
            value: row["value_text"].text ?? row["value"].description, units: row["units"].text,
            identifier: row["identifier"].text,
            properties: JSONColumn.value([String: JSONValue].self, row.text("properties")) ?? [:],
            dataSource: JSONColumn.value([String: JSONValue].self, row.text("data_source")) ?? [:],
            startDate: date("started"), observationDate: date("observed"),
            insertedDate: row.date("inserted") ?? .distantPast, modifiedDate: row.date("modified"))
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

    init(_ row: StoredRow) {
        self.init(
            id: .init(row.text("id")), surveyID: .init(row.text("survey_id")), surveyName: row.text("survey"),
            surveyDisplayName: row["title"].text, surveyDescription: row.text("description"),
            startDate: row.date("started"), endDate: row.date("ended"), status: .init(rawValue: row.text("status")),
            hasSavedProgress: row.flag("has_saved_progress"), dueDate: row.date("due"),
            insertedDate: row.date("inserted") ?? .distantPast, modifiedDate: row.date("modified"),
            linkIdentifier: row["link_identifier"].text)
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

    init(_ row: StoredRow) {
        self.init(
            id: .init(row.text("id")), surveyResultID: .init(row.text("result")),
            surveyID: .init(row.text("survey_id")), surveyVersion: row.integer("version"),
            taskID: row["task"].text.map { .init($0) }, surveyName: row.text("survey"),
            surveyDisplayName: row["title"].text, date: row.date("answered"), stepIdentifier: row.text("step"),
            resultIdentifier: row["question"].text,
            answers: JSONColumn.value([String].self, row.text("answers")) ?? [],
            insertedDate: row.date("inserted") ?? .distantPast)
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

    init(_ row: StoredRow) {
        self.init(
            id: .init(row.integer("id")), status: .init(rawValue: row.text("status")),
            provider: ExternalAccountProvider(
                id: .init(row.integer("provider_id")), name: row.text("provider"),
                category: .init(rawValue: row.text("category"))),
            lastRefreshDate: row.date("refreshed"))
    }
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
