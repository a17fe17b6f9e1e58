import ExistKit
import Foundation
import PledgeCoding

/// The unit in which an attribute is shown: Exist stores metric values, and users choose which to see as imperial.
struct DisplayUnit {
    var symbol: String?
    private let isMinutes: Bool
    private let kind: WeeklyReport.Kind
    var convert: @Sendable (Double) -> Double
    /// Converts a value from the unit shown to the unit stored.
    var keep: @Sendable (Double) -> Double = { $0 }

    init(_ attribute: ExistKit.Attribute, for user: User) {
        kind = WeeklyReport.Kind(attribute.valueType)
        isMinutes = [.periodMin, .minFromMidnight, .minFromMidday].contains(attribute.valueType)
        // Bedtimes count from midday; shown from midnight, they may exceed 24:00, so that late nights sort last.
        if attribute.valueType == .minFromMidday {
            symbol = nil
            convert = { $0 + 720 }
            return
        }
        // Minutes are shown as a duration without a unit.
        guard attribute.valueType != .periodMin, let kept = attribute.unit, let shown = attribute.unit(for: user) else {
            symbol = nil
            convert = { $0 }
            return
        }
        // Exist stores rain in inches per hour, unlike any metric quantity.
        if ExactText(kept.symbol) == ExactText("in/h"), !user.imperialDistance {
            symbol = "mm/h"
            convert = { $0 * 25.4 }
            keep = { $0 / 25.4 }
            return
        }
        // Correct Foundation's unusual spellings.
        symbol = ["kCal": "kcal", "mL": "ml"][shown.symbol] ?? shown.symbol
        convert = { kept == shown ? $0 : Measurement(value: $0, unit: kept).converted(to: shown).value }
        keep = { kept == shown ? $0 : Measurement(value: $0, unit: shown).converted(to: kept).value }
    }

    /// The unit for a column of bare numbers, including minutes.
    var column: String? { symbol ?? (isMinutes ? "min" : nil) }

    /// Returns the number in this unit; nil if it is too large for JSON.
    func finite(_ value: Double) -> Double? {
        let shown = convert(value)
        return shown.isFinite ? shown : nil
    }

    func cell(_ value: Double?, _ text: (ValueText) -> (Double) -> String) -> Listing.Cell? {
        value.flatMap(finite).map { number in
            .number(
                NumberText.rounded(number, decimals: 6), shown: text(ValueText(kind: kind, unit: symbol))(number))
        }
    }
}
