import ExistKit
import Foundation

extension SQLValue {
    /// Creates a column value from an attribute value. Types with decimals are always stored as `REAL`, even integers.
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

    init(_ day: ExistDay?) { self = day.map { .text($0.description) } ?? .null }
    init(_ date: Date?) { self = date.map { .text(TimestampColumn.text($0)) } ?? .null }
}

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
}

extension Attribute {
    func row(_ account: SQLValue) -> [SQLValue] {
        [
            account, .text(name), .text(label), .text(group.name), .text(group.label), .integer(group.priority),
            .integer(priority), SQLValue(template), .integer(valueType.rawValue), SQLValue(valueTypeDescription),
            SQLValue(storedUnit?.name), SQLValue(service), SQLValue(manual), SQLValue(active),
        ]
    }
}

extension Average {
    func row(_ account: SQLValue) -> [SQLValue] {
        [account, .text(attribute), SQLValue(day), SQLValue(overall)]
            + ExistDay.Weekday.allCases.map { SQLValue(self[$0]) }
    }
}

extension Correlation {
    func row(_ account: SQLValue) -> [SQLValue] {
        [
            account, .text(attribute), .text(attribute2), .text(attributeCategory ?? ""),
            // Part of the key, which cannot be null.
            offset.map { .integer($0) } ?? .text(""),
            SQLValue(day), SQLValue(period), SQLValue(value), SQLValue(p), SQLValue(percentage), SQLValue(stars),
            SQLValue(secondPerson), SQLValue(strengthDescription), SQLValue(starsDescription), SQLValue(description),
            SQLValue(occurrence), SQLValue(rating?.rating),
        ]
    }
}

extension Insight {
    func row(_ account: SQLValue) -> [SQLValue] {
        [
            account, SQLValue(created), .text(type.name), SQLValue(createdOffset), SQLValue(targetDay),
            SQLValue(type.attribute?.name), SQLValue(type.period), SQLValue(type.priority), .text(text), .text(html),
        ]
    }
}
