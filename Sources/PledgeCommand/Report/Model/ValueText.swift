import ExistKit
import PledgeCoding

/// Formats the numbers of an attribute, depending on their kind and unit.
struct ValueText {
    let kind: Report.Kind
    let unit: String?
    /// The number with the greatest magnitude. It determines the decimal places of all numbers, so that all have
    /// equally many. If it is nil, each number determines its own decimal places.
    private let greatest: Double?

    init(kind: Report.Kind, unit: String? = nil, greatest: Double? = nil) {
        self.kind = kind
        self.unit = unit?.onOneLine
        self.greatest = greatest
    }

    init(_ attribute: Report.Attribute, hasUnit: Bool = true) {
        let unit = attribute.kind == .scale ? "of 9" : attribute.unit
        let numbers = (attribute.week + attribute.usual).compactMap { $0?.magnitude }
        self.init(kind: attribute.kind, unit: hasUnit ? unit : nil, greatest: numbers.max())
    }

    /// Creates a formatter for device data. The kind is derived from the unit and the numbers.
    init(ofMeasurement numbers: [Double], unit: String?) {
        let isMinutes = unit.map { $0.utf8.elementsEqual("min".utf8) } ?? false
        let isWhole = numbers.allSatisfy { $0 == $0.rounded() }
        self.init(kind: isMinutes ? .duration : isWhole ? .quantity : .decimal, unit: isMinutes ? nil : unit)
    }

    /// Returns the text of a single value, such as `6,031`, `72.4 kg`, `7h 12m`, `22:55`, `21.4 %`, or `yes`.
    func value(_ value: Double) -> String { text(parts(value)) }

    /// Returns the text of an average. It may have decimal places that no single value has, such as `2.4` coffees. The
    /// average of a tag is the share of days that have it, such as `43 %`.
    func average(_ value: Double) -> String { text(parts(value, isMean: true)) }

    private func text(_ parts: (number: String, unit: String?)) -> String {
        parts.unit.map { "\(parts.number) \($0)" } ?? parts.number
    }

    /// Returns the number and the unit as separate texts, so that the unit can be shown in a smaller size. The unit is
    /// nil if there is none.
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

    /// Returns the number of decimal places that suits the size of a value, as in `0.35`, `4.8`, and `1,204`.
    func decimals(for value: Double) -> Int {
        if value == 0 || value.magnitude >= 1000 { return 0 }
        let tenthsSuffice = NumberText.rounded(value, decimals: 1) == NumberText.rounded(value, decimals: 2)
        return value.magnitude < 1 && !tenthsSuffice ? 2 : 1
    }

    /// Quantities below this value are small. Their averages have a decimal place, and their changes aren't shown in
    /// percent, which would exaggerate: 3 coffees instead of 2.4 are already “+25 %”.
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

    /// Returns a time of day, such as `22:55`. A number of minutes that is negative or at least 1440 wraps around
    /// midnight.
    static func timeOfDay(_ minutes: Double) -> String {
        let rounded = minutes.rounded()
        guard rounded.magnitude < 1e12 else { return "–" }
        let minute = (Int(rounded) % 1440 + 1440) % 1440
        let (hour, rest) = minute.quotientAndRemainder(dividingBy: 60)
        return "\(NumberText.digits(hour, atLeast: 2)):\(NumberText.digits(rest, atLeast: 2))"
    }
}
