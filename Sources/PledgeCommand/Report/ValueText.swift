/// An attribute's numbers in words, by its kind and unit.
struct ValueText {
    let kind: WeeklyReport.Kind
    let unit: String?

    init(kind: WeeklyReport.Kind, unit: String? = nil) {
        self.kind = kind
        self.unit = unit?.onOneLine
    }

    init(_ attribute: WeeklyReport.Attribute) {
        self.init(kind: attribute.kind, unit: attribute.unit)
    }

    /// A day's value: `6,031`, `72.4 kg`, `7h 12m`, `22:55`, `21.4 %`, `yes`.
    func value(_ value: Double) -> String {
        let (number, unit) = parts(value)
        return unit.map { "\(number) \($0)" } ?? number
    }

    /// The same in two parts, for setting the unit smaller; nil where the kind has none of its own.
    func parts(_ value: Double) -> (number: String, unit: String?) {
        guard value.isFinite else { return ("–", nil) }
        return switch kind {
        case .quantity: (NumberText.grouped(value), unit)
        case .decimal: (NumberText.grouped(value, decimals: decimals(for: value)), unit)
        case .duration: (Self.duration(value), nil)
        case .timeOfDay: (Self.timeOfDay(value), nil)
        case .percentage: (NumberText.trimmed(value * 100, decimals: 1), "%")
        case .boolean: (value >= 0.5 ? "yes" : "no", nil)
        case .scale: (NumberText.trimmed(value, decimals: 1), nil)
        case .text: ("", nil)
        }
    }

    /// An average of such values, which may fall between two of them: `2.4` coffees, a tag on `43 %` of days.
    func average(_ value: Double) -> String {
        switch kind {
        case .quantity where value.magnitude < Self.smallQuantity:
            let number = NumberText.trimmed(value, decimals: 1)
            return unit.map { "\(number) \($0)" } ?? number
        case .boolean: return "\(NumberText.grouped(value * 100)) %"
        default: return self.value(value)
        }
    }

    /// The decimal places that suit a number's size: `0.35`, `4.8`, `1,204`.
    func decimals(for value: Double) -> Int {
        if value == 0 || value.magnitude >= 1000 { return 0 }
        let tenthsSuffice = NumberText.rounded(value, decimals: 1) == NumberText.rounded(value, decimals: 2)
        return value.magnitude < 1 && !tenthsSuffice ? 2 : 1
    }

    /// Below this a percentage exaggerates (3 coffees are "+25 %" of 2.4) and a decimal place matters.
    static let smallQuantity = 20.0

    /// `7h 12m`, `48m`, `8h`
    static func duration(_ minutes: Double) -> String {
        let rounded = minutes.magnitude.rounded()
        guard rounded < 1e12 else { return "–" }
        let (hours, rest) = Int(rounded).quotientAndRemainder(dividingBy: 60)
        let sign = minutes < 0 && rounded > 0 ? "−" : ""
        if hours == 0 { return "\(sign)\(rest)m" }
        let whole = "\(sign)\(NumberText.grouped(Double(hours)))h"
        return rest == 0 ? whole : "\(whole) \(rest)m"
    }

    /// `22:55`, wherever in the run of days the minute falls.
    static func timeOfDay(_ minutes: Double) -> String {
        let rounded = minutes.rounded()
        guard rounded.magnitude < 1e12 else { return "–" }
        let minute = (Int(rounded) % 1440 + 1440) % 1440
        let (hour, rest) = minute.quotientAndRemainder(dividingBy: 60)
        return "\(hour < 10 ? "0" : "")\(hour):\(rest < 10 ? "0" : "")\(rest)"
    }
}
