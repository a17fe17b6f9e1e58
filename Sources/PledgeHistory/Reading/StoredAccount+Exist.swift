import ExistKit
import Foundation
import PledgeCoding

extension StoredAccount {
    /// Returns the attributes that Exist would list now, with their values in a range of days.
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
                // The key of a row has no nulls.
                attributeCategory: row["category"] == "" ? nil : row["category"].text,
                strengthDescription: row["strength"].text, starsDescription: row["certainty"].text,
                description: row["description"].text,
                occurrence: row["occurrence"].text)
        }
    }

    /// Returns the insights for a range of days. One for a week or month counts on the day before its creation.
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

    /// Returns the first day with a value, or nil if there is none.
    package func firstDay() throws -> ExistDay? {
        try history.query(
            """
            SELECT min(day) FROM attribute JOIN value USING (account)
            WHERE account = ? AND value.attribute = attribute.name AND attribute.removed IS NULL AND value.removed IS NULL
            """, [key]
        ).rows[0][0].text.flatMap { ExistDay($0) }
    }

    /// Returns the number of attributes not yet read back to the given day, because the first sync is not complete.
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
