/// The medians of an attribute's values over sixty days, which the service calls averages.
struct ExistAverage {
    private static let days = 60

    let attribute: ExistAttribute
    let date: CalendarDay
    /// The values of the sixty days before.
    private let numbers: [Double?]

    /// Returns the averages of the latest Sunday, or of every Sunday after sixty days of data, newest first.
    static func all(in ledger: ExistLedger, of attributes: [ExistAttribute], historical: Bool) -> [ExistAverage] {
        var averages: [ExistAverage] = []
        var date = ledger.sunday
        repeat {
            for attribute in attributes where attribute.valueType.isNumeric {
                let numbers = ledger.numbers(attribute, from: date - days, through: date - 1)
                guard numbers.contains(where: { $0 != nil }) else { continue }
                averages.append(ExistAverage(attribute: attribute, date: date, numbers: numbers))
            }
            date = date - 7
        } while historical && date - days >= ledger.firstDay
        return averages
    }

    var json: ServerJSON {
        var members: [String: ServerJSON] = [
            "user_attribute": .string(attribute.name), "date": .string(date.text), "overall": Self.median(numbers),
        ]
        let names = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
        for (weekday, name) in names.enumerated() {
            let first = (weekday - (date - Self.days).weekday + 7) % 7
            members[name] = Self.median(stride(from: first, to: numbers.count, by: 7).map { numbers[$0] })
        }
        return .object(members)
    }

    /// Returns the median, or the mean of the middle two numbers; null if there are none.
    private static func median(_ numbers: [Double?]) -> ServerJSON {
        let sorted = numbers.compactMap { $0 }.sorted()
        guard !sorted.isEmpty else { return .null }
        let middle = sorted.count / 2
        return .number(sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle])
    }
}
