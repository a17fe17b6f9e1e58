import ExistKit
import Testing

@testable import PledgeHistory

extension History {
    /// Returns the differences between the rows of the views and the attributes that are read back as models. Compares
    /// only attributes that Exist would list.
    func viewDifferences() throws -> [String] {
        try AccountReader.all(of: .exist, in: self).flatMap { account in
            let (first, last) = (try #require(ExistDay("0001-01-01")), try #require(ExistDay("9999-12-31")))
            let attributes = try account.attributes(from: first, through: last)
            var expected: [String] = []
            for attribute in attributes {
                let values = attribute.values.map { (day: $0.day, value: SQLValue($0.value)) }
                expected += values.map { "daily \(attribute.name) \($0.day) \($0.value)" }
                if let newest = values.max(by: { $0.day < $1.day }) {
                    expected.append("latest \(attribute.name) \(newest.day) \(newest.value)")
                }
                let numbers = values.filter { $0.value.real != nil }
                let weeks = Dictionary(grouping: numbers) { day in
                    day.day.advanced(by: -(ExistDay.Weekday.allCases.firstIndex(of: day.day.weekday) ?? 0))
                }
                expected += weeks.map { monday, days in
                    let numbers = days.compactMap(\.value.real)
                    return
                        "weekly \(attribute.name) \(monday) \(days.count) \(numbers.min() ?? 0) \(numbers.max() ?? 0)"
                }
            }
            let listed = """
                WHERE account = ?1 AND attribute NOT IN (SELECT a.name FROM attribute AS a JOIN account ON account.id = a.account
                    WHERE account.name = ?1 AND a.removed IS NULL AND NOT (coalesce(active, 1) AND priority < 10))
                """
            let found =
                try ["daily", "latest"].flatMap { view in
                    try query("SELECT attribute, day, value FROM \(view) \(listed)", [.text(account.name)]).rows.map {
                        "\(view) \($0[0]) \($0[1]) \($0[2])"
                    }
                }
                + query("SELECT attribute, monday, days, lowest, highest FROM weekly \(listed)", [.text(account.name)])
                .rows.map { "weekly \($0[0]) \($0[1]) \($0[2]) \($0[3].real ?? 0) \($0[4].real ?? 0)" }
            let begin = try query("SELECT min(day) FROM daily WHERE account = ?", [.text(account.name)]).rows[0][0]
            #expect(try account.firstDay()?.description == begin.text)
            // Compares sorted lists, because sets would hide a row that occurs twice.
            return zip(expected.sorted(), found.sorted()).filter { $0 != $1 }.map { "\($0) or \($1)" }
                + (expected.count == found.count ? [] : ["\(expected.count) rows expected, \(found.count) found"])
        }
    }
}

extension SQLValue {
    fileprivate init(_ value: AttributeValue?) {
        switch value {
        case .integer(let number): self = .integer(number)
        case .decimal(let number): self = .real(number)
        case .text(let text): self = .text(text)
        case .other, nil: self = .null
        }
    }
}
