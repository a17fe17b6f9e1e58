import Foundation

/// Formats numbers for insights: "12,044 steps", "7 h 20 min", "6.5 out of 9".
enum ExistAmount {
    static func text(_ number: Double, of attribute: ExistAttribute) -> String {
        switch attribute.valueType {
        case .duration: duration(Int(number.rounded()))
        case .scale: formatted(number, digits: 1) + " out of 9"
        default: formatted(number, digits: 0) + " \(attribute.label.lowercased())"
        }
    }

    private static func duration(_ minutes: Int) -> String {
        let (hours, rest) = (minutes / 60, minutes % 60)
        if hours == 0 { return "\(rest) min" }
        return rest == 0 ? "\(hours) h" : "\(hours) h \(rest) min"
    }

    private static func formatted(_ number: Double, digits: Int) -> String {
        number.formatted(
            .number.locale(Locale(identifier: "en_US")).precision(.fractionLength(0...digits))
                .rounded(rule: .toNearestOrAwayFromZero))
    }
}
