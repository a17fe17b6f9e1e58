import ExistKit
import PledgeCoding

/// Formats an attribute's numbers according to its kind and unit.
struct ValueText {
    let kind: WeeklyReport.Kind
    let unit: String?
    /// The greatest of the numbers, which decides how many decimal places all of them have; nil to decide it for each.
    private let greatest: Double?

    init(kind: WeeklyReport.Kind, unit: String? = nil, greatest: Double? = nil) {
        self.kind = kind
        self.unit = unit?.onOneLine
        self.greatest = greatest
    }

    init(_ attribute: WeeklyReport.Attribute, hasUnit: Bool = true) {
        let unit = attribute.kind == .scale ? "of 9" : attribute.unit
        let numbers = (attribute.week + attribute.usual).compactMap { $0?.magnitude }
        self.init(kind: attribute.kind, unit: hasUnit ? unit : nil, greatest: numbers.max())
    }

    /// Creates a formatter for device data, whose kind follows from the unit and the numbers.
    init(ofMeasurement numbers: [Double], unit: String?) {
        let isMinutes = unit.map { $0.utf8.elementsEqual("min".utf8) } ?? false
        let isWhole = numbers.allSatisfy { $0 == $0.rounded() }
        self.init(kind: isMinutes ? .duration : isWhole ? .quantity : .decimal, unit: isMinutes ? nil : unit)
    }

    /// Returns a day's value, such as `6,031`, `72.4 kg`, `7h 12m`, `22:55`, `21.4 %`, or `yes`.
    func value(_ value: Double) -> String { text(parts(value)) }

    /// Returns an average, which may fall between two values: `2.4` coffees, a tag on `43 %` of days.
    func average(_ value: Double) -> String { text(parts(value, isMean: true)) }

    private func text(_ parts: (number: String, unit: String?)) -> String {
        parts.unit.map { "\(parts.number) \($0)" } ?? parts.number
    }

    /// Returns the number and the unit, if any, separately, to show the unit smaller.
    func parts(_ value: Double, isMean: Bool = false) -> (number: String, unit: String?) {
        switch kind {
        case .quantity where isMean && value.magnitude < Self.smallQuantity:
            (NumberText.trimmed(value, decimals: 1), unit)
        case .quantity: (NumberText.grouped(value), unit)
        case .decimal: (NumberText.grouped(value, decimals: decimals(for: value == 0 ? 0 : greatest ?? value)), unit)
        case .duration: (Self.duration(value), nil)
        case .timeOfDay: (Self.timeOfDay(value), nil)
        case .percentage: (NumberText.trimmed(value * 100, decimals: 1), "%")
        case .boolean where isMean: (NumberText.grouped(value * 100), "%")
        case .boolean: (value >= 0.5 ? "yes" : "no", nil)
        case .scale: (NumberText.trimmed(value, decimals: 1), unit)
        case .text: ("", nil)
        }
    }

    /// Returns the decimal places that suit a value's size: `0.35`, `4.8`, `1,204`.
    func decimals(for value: Double) -> Int {
        if value == 0 || value.magnitude >= 1000 { return 0 }
        let tenthsSuffice = NumberText.rounded(value, decimals: 1) == NumberText.rounded(value, decimals: 2)
        return value.magnitude < 1 && !tenthsSuffice ? 2 : 1
    }

    /// The value below which a percentage exaggerates (3 coffees are "+25 %" of 2.4) and a decimal place matters.
    static let smallQuantity = 20.0

    static func duration(_ minutes: Double) -> String {
        let rounded = minutes.magnitude.rounded()
        guard rounded < 1e12 else { return "–" }
        let (hours, rest) = Int(rounded).quotientAndRemainder(dividingBy: 60)
        let sign = minutes < 0 && rounded > 0 ? "−" : ""
        if hours == 0 { return "\(sign)\(rest)m" }
        let whole = "\(sign)\(NumberText.grouped(hours))h"
        return rest == 0 ? whole : "\(whole) \(rest)m"
    }

    /// Returns a time of day, such as `22:55`; minutes outside 0..<1440 wrap around midnight.
    static func timeOfDay(_ minutes: Double) -> String {
        let rounded = minutes.rounded()
        guard rounded.magnitude < 1e12 else { return "–" }
        let minute = (Int(rounded) % 1440 + 1440) % 1440
        let (hour, rest) = minute.quotientAndRemainder(dividingBy: 60)
        return "\(NumberText.digits(hour, atLeast: 2)):\(NumberText.digits(rest, atLeast: 2))"
    }
}

/// Days in words, which need neither a clock nor a locale, so that the output is the same on every machine.
extension ExistDay {
    var weekdayName: String { String(weekday.rawValue.capitalized.prefix(3)) }

    var monthName: String { Self.monthNames[month - 1] }

    var short: String { "\(weekdayName) \(day) \(monthName.prefix(3))" }

    var long: String { "\(weekdayName) \(day) \(monthName)" }

    /// Returns a range such as `Sat 14 – Fri 20 November`, which repeats the month and year only if they change.
    static func range(from first: ExistDay, to last: ExistDay, withYear: Bool = false) -> String {
        if first == last { return withYear ? "\(last.long) \(last.year)" : last.long }
        if first.year != last.year { return "\(first.long) \(first.year) – \(last.long) \(last.year)" }
        let start = first.month == last.month ? "\(first.weekdayName) \(first.day)" : first.long
        return withYear ? "\(start) – \(last.long) \(last.year)" : "\(start) – \(last.long)"
    }

    private static let monthNames = [
        "January", "February", "March", "April", "May", "June",
        "July", "August", "September", "October", "November", "December",
    ]
}
