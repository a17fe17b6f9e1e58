/// The typical values of an attribute: medians of sixty days, which the service calls averages.
struct ExistAverage {
    static let days = 60

    let attribute: ExistAttribute
    /// The Sunday on which it was computed; it covers the sixty days before.
    let date: CalendarDay

    /// Returns the averages of the latest Sunday, or of every Sunday with sixty days before it, newest first.
    static func all(in ledger: ExistLedger, of attributes: [ExistAttribute], historical: Bool) -> [ExistAverage] {
        var averages: [ExistAverage] = []
        var date = ledger.sunday
        repeat {
            for attribute in attributes where attribute.valueType.isNumeric {
                let average = ExistAverage(attribute: attribute, date: date)
                if average.hasData(in: ledger) { averages.append(average) }
            }
            date = date - 7
        } while historical && date - days >= ledger.firstDay
        return averages
    }

    func json(in ledger: ExistLedger) -> SandboxJSON {
        var all: [Double] = []
        var byWeekday = [[Double]](repeating: [], count: 7)
        for day in (date - Self.days).number..<date.number {
            let day = CalendarDay(number: day)
            guard let number = ledger.number(attribute, day) else { continue }
            all.append(number)
            byWeekday[day.weekday].append(number)
        }
        var members: [String: SandboxJSON] = [
            "user_attribute": .string(attribute.name), "date": .string(date.text), "overall": Self.median(all),
        ]
        let names = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
        for (name, numbers) in zip(names, byWeekday) { members[name] = Self.median(numbers) }
        return .object(members)
    }

    private func hasData(in ledger: ExistLedger) -> Bool {
        ((date - Self.days).number..<date.number).contains { ledger.number(attribute, CalendarDay(number: $0)) != nil }
    }

    private static func median(_ numbers: [Double]) -> SandboxJSON {
        Statistics.median(numbers).map(SandboxJSON.number) ?? .null
    }
}
