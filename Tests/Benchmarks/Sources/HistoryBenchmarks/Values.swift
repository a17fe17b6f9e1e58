import Foundation

/// The values of a hundred attributes, month by month, as a first sync gets them.
struct Values {
    static let monthDays = 31
    let attributes: [String]
    /// The days of each month.
    let months: [[String]]

    var count: Int { attributes.count * months.count * Self.monthDays }

    /// - Parameter count: The minimum number of values.
    init(count: Int) {
        attributes = (0..<100).map { "attribute_\($0)" }
        let perMonth = attributes.count * Self.monthDays
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let (first, step) = (Date(timeIntervalSince1970: 0), 86_400.0)
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = .gmt
        formatter.dateFormat = "yyyy-MM-dd"
        months = (0..<(count + perMonth - 1) / perMonth).map { month in
            (0..<Self.monthDays).map { formatter.string(from: first + Double(month * Self.monthDays + $0) * step) }
        }
    }

    /// Returns the value of an attribute, which is given by its index, on a day.
    func value(_ attribute: Int, _ month: Int, _ day: Int) -> Int {
        (attribute * 7919 + month * 104_729 + day * 31) % 9_973
    }

    /// The rows as CSV, in the order of the table's key, as in an export of a table. Each row includes the empty last
    /// column, because the shell would print a warning for a row without it.
    var csv: Data {
        var text = ""
        for (place, attribute) in attributes.enumerated() {
            for (month, days) in months.enumerated() {
                for (index, day) in days.enumerated() {
                    text += "1,\(attribute),\(day),\(value(place, month, index)),\n"
                }
            }
        }
        return Data(text.utf8)
    }
}
