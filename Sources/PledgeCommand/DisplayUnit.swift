import ExistKit
import Foundation

/// The unit an attribute is shown in: Exist keeps metric values, and each user says which of them to see as imperial.
struct DisplayUnit {
    var symbol: String?
    var convert: @Sendable (Double) -> Double

    init(_ attribute: ExistKit.Attribute, for user: User) {
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
        // Foundation writes these two in a way of its own.
        symbol = ["kCal": "kcal", "mL": "ml"][shown.symbol] ?? shown.symbol
        convert = { kept == shown ? $0 : Measurement(value: $0, unit: kept).converted(to: shown).value }
    }

    /// The number in this unit; nil for one that is too large for it, which JSON could not say.
    func finite(_ value: Double) -> Double? {
        let shown = convert(value)
        return shown.isFinite ? shown : nil
    }
}
