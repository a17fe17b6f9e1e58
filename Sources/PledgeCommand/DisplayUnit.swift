import ExistKit
import Foundation
import PledgeCoding

/// The unit an attribute is shown in: Exist keeps metric values, and each user says which of them to see as imperial.
struct DisplayUnit {
    var symbol: String?
    private let isMinutes: Bool
    var convert: @Sendable (Double) -> Double
    /// The other way: from the unit shown to the unit kept.
    var keep: @Sendable (Double) -> Double = { $0 }

    init(_ attribute: ExistKit.Attribute, for user: User) {
        isMinutes = [.periodMin, .minFromMidnight, .minFromMidday].contains(attribute.valueType)
        // Bedtimes count from midday; shown from midnight they may pass 24:00, so that late nights sort last.
        if attribute.valueType == .minFromMidday {
            symbol = nil
            convert = { $0 + 720 }
            return
        }
        // Minutes are shown as a duration, which needs no unit.
        guard attribute.valueType != .periodMin, let kept = attribute.unit, let shown = attribute.unit(for: user) else {
            symbol = nil
            convert = { $0 }
            return
        }
        // Inches an hour is how Exist keeps rain; among kilometres and degrees Celsius nobody reads them.
        if ExactText(kept.symbol) == ExactText("in/h"), !user.imperialDistance {
            symbol = "mm/h"
            convert = { $0 * 25.4 }
            keep = { $0 / 25.4 }
            return
        }
        // Foundation writes these two in a way of its own.
        symbol = ["kCal": "kcal", "mL": "ml"][shown.symbol] ?? shown.symbol
        convert = { kept == shown ? $0 : Measurement(value: $0, unit: kept).converted(to: shown).value }
        keep = { kept == shown ? $0 : Measurement(value: $0, unit: shown).converted(to: kept).value }
    }

    /// The unit for a column of bare numbers, which has to say minutes, too.
    var column: String? { symbol ?? (isMinutes ? "min" : nil) }

    /// The number in this unit; nil for one that is too large for it, which JSON could not say.
    func finite(_ value: Double) -> Double? {
        let shown = convert(value)
        return shown.isFinite ? shown : nil
    }
}
