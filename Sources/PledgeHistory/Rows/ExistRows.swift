import ExistKit
import Foundation
import PledgeCoding

// Each model of Exist, as a row of its table and back. The columns of a row are in the order of the table's columns.

extension User {
    func update(_ database: Database, account: SQLValue) throws {
        try database.run(
            """
            UPDATE account SET username = ?, first_name = ?, last_name = ?, time_zone = ?, utc_offset = ?,
                imperial_distance = ?, imperial_weight = ?, imperial_energy = ?, imperial_liquid = ?,
                imperial_temperature = ?, day = ?
            WHERE id = ?
            """,
            [
                .text(username), .text(firstName), .text(lastName), .text(timezone), SQLValue(utcOffset),
                SQLValue(imperialDistance), SQLValue(imperialWeight), SQLValue(imperialEnergy),
                SQLValue(imperialLiquid), SQLValue(imperialTemperature), SQLValue(today), account,
            ])
    }

    /// Creates the user of a stored account, as Exist described the user at the last sync.
    init(_ account: StoredRow) {
        self.init(
            username: account["username"].text ?? account.text("name"), firstName: account.text("first_name"),
            lastName: account.text("last_name"), timezone: account.text("time_zone"),
            utcOffset: account["utc_offset"].integer, imperialDistance: account.flag("imperial_distance"),
            imperialWeight: account.flag("imperial_weight"), imperialEnergy: account.flag("imperial_energy"),
            imperialLiquid: account.flag("imperial_liquid"),
            imperialTemperature: account.flag("imperial_temperature"))
    }
}

extension Attribute {
    /// Whether Exist lists the attribute by default: it is in use and not of low priority.
    var isListed: Bool { active ?? true && priority < 10 }

    func row(_ account: SQLValue) -> [SQLValue] {
        [
            account, .text(name), .text(label), .text(group.name), .text(group.label), .integer(group.priority),
            .integer(priority), SQLValue(template), .integer(valueType.rawValue), SQLValue(valueTypeDescription),
            SQLValue(storedUnit?.name), SQLValue(service), SQLValue(manual), SQLValue(active),
        ]
    }

    init(_ row: StoredRow) {
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

extension SQLValue {
    /// Creates a column value from an attribute value. If the attribute's type allows decimals, integers are stored as
    /// `REAL`, too.
    init(_ value: AttributeValue, as type: ValueType) {
        switch (type, value) {
        case (.float, .integer(let number)), (.percentage, .integer(let number)): self = .real(Double(number))
        case (.float, .decimal(let number)), (.percentage, .decimal(let number)): self = SQLValue(number)
        case (.string, .integer(let number)): self = .text("\(number)")
        case (.unknown, .decimal(let number)): self = SQLValue(number)
        case (_, .integer(let number)): self = .integer(number)
        case (_, .decimal(let number)): self = Int(exactly: number).map { .integer($0) } ?? SQLValue(number)
        case (_, .text(let text)): self = .text(text)
        case (.boolean, .other(.bool(let flag))): self = SQLValue(flag)
        case (_, .other(let json)): self = .text(JSONColumn.text(json))
        }
    }
}

extension AttributeValue {
    init?(_ column: SQLValue) {
        switch column {
        case .null: return nil
        case .integer(let number): self = .integer(number)
        case .real(let number): self = .decimal(number)
        case .text(let text): self = .text(text)
        }
    }
}

extension Average {
    func row(_ account: SQLValue) -> [SQLValue] {
        [account, .text(attribute), SQLValue(day), SQLValue(overall)]
            + ExistDay.Weekday.allCases.map { SQLValue(self[$0]) }
    }

    init?(_ row: StoredRow) {
        guard let day = row.day("day") else { return nil }
        let weekdays = ExistDay.Weekday.allCases.compactMap { weekday in
            row[weekday.rawValue].real.map { (weekday, $0) }
        }
        self.init(
            attribute: row.text("attribute"), day: day, overall: row["overall"].real,
            weekdays: Dictionary(weekdays, uniquingKeysWith: { first, _ in first }))
    }
}

extension Correlation {
    func row(_ account: SQLValue) -> [SQLValue] {
        [
            account, .text(attribute), .text(attribute2),
            // The category and the offset are part of the table's key. Key columns cannot be null, so they have an
            // empty text if there is no category or offset.
            .text(attributeCategory ?? ""), offset.map { .integer($0) } ?? .text(""),
            SQLValue(day), SQLValue(period), SQLValue(value), SQLValue(p), SQLValue(percentage), SQLValue(stars),
            SQLValue(secondPerson), SQLValue(strengthDescription), SQLValue(starsDescription), SQLValue(description),
            SQLValue(occurrence), SQLValue(rating?.rating),
        ]
    }

    init?(_ row: StoredRow) {
        guard let day = row.day("day"), let value = row["value"].real else { return nil }
        self.init(
            day: day, attribute: row.text("attribute"), attribute2: row.text("attribute2"), value: value,
            period: row["period"].integer, offset: row["days_between"].integer, p: row["p"].real,
            percentage: row["percentage"].real, stars: row["stars"].integer, secondPerson: row["sentence"].text,
            attributeCategory: row["category"] == "" ? nil : row["category"].text,
            strengthDescription: row["strength"].text, starsDescription: row["certainty"].text,
            description: row["description"].text, occurrence: row["occurrence"].text)
    }
}

extension Insight {
    func row(_ account: SQLValue) -> [SQLValue] {
        [
            account, SQLValue(created), .text(type.name), SQLValue(createdOffset), SQLValue(targetDay),
            SQLValue(type.attribute?.name), SQLValue(type.period), SQLValue(type.priority), .text(text), .text(html),
        ]
    }

    init?(_ row: StoredRow) {
        guard let created = row.date("created") else { return nil }
        let type = InsightType(
            name: row.text("type"), period: row["period"].integer, priority: row["priority"].integer,
            attribute: row["attribute"].text.map { InsightAttribute(name: $0) })
        self.init(
            created: created, targetDay: row.day("day"), type: type, text: row.text("text"), html: row.text("html"))
    }
}
