import ExistKit
import Foundation
import PledgeCoding

/// Converts the values of one attribute from the form in which Exist stores them to the form in which users see them.
/// Every form in which this tool prints a value can be read again by ``ValueParser``.
struct ValueCells {
    private let attribute: ExistKit.Attribute
    /// The unit in which Exist stores the values, and the unit in which the user sees them. Both are nil for values
    /// without a unit, such as counts, ratings, tags, texts, and money.
    private let (stored, shown): (ValueUnit?, ValueUnit?)
    private let kind: Report.Kind
    private var type: ValueType { attribute.valueType }

    init(_ attribute: ExistKit.Attribute, for user: User) {
        self.attribute = attribute
        stored = attribute.storedUnit
        shown = attribute.shownUnit(for: user)
        kind = Report.Kind(attribute.valueType)
    }

    /// The unit that people see beside a number. Nil for minutes, because people see durations and times of day
    /// instead.
    var symbol: String? { [.periodMin, .minFromMidnight, .minFromMidday].contains(type) ? nil : shown?.name }
    /// The unit that programs get beside a number.
    var unit: Listing.Cell { .optional(shown?.name) }

    /// Returns a stored number converted to the user's unit. The result may be rounded. Returns nil if it is too large
    /// for JSON.
    func convert(_ number: Double) -> Double? {
        guard let stored, let shown else { return number.isFinite ? number : nil }
        let converted = stored.convert(number, to: shown)
        return converted.isFinite ? converted : nil
    }

    /// Returns the cell of an average. Averages are rounded, because no command reads them back.
    func average(_ value: Double?) -> Listing.Cell {
        guard let number = value.flatMap(convert) else { return .nothing }
        return .number(
            NumberText.rounded(number, decimals: 6), shown: ValueText(kind: kind, unit: symbol).average(number))
    }
}

extension ValueCells {
    /// Returns the cells for a value and its unit. When ``ValueParser`` reads these cells, it returns exactly the
    /// original value.
    func cells(_ value: AttributeValue?) -> (value: Listing.Cell, unit: Listing.Cell) {
        guard let value else { return (.nothing, unit) }
        if type == .boolean, let flag = value.bool { return (.flag(flag), unit) }
        guard type != .string, let number = value.double else { return (.text(value.plainText), unit) }
        let digits = value.int.map { "\($0)" } ?? "\(number)"
        guard let stored, let shown, stored != shown else { return (cell(digits, number, symbol), unit) }
        guard let converted = Decimal(string: digits).flatMap({ shown.digits(of: $0, in: stored) }) else {
            // The conversion would lose digits, so the value is printed in the unit in which Exist stores it.
            return (cell(digits, number, stored.name), .text(stored.name))
        }
        return (cell(converted, convert(number) ?? number, symbol), unit)
    }

    private func cell(_ digits: String, _ number: Double, _ unit: String?) -> Listing.Cell {
        .number(number, shown: ValueText(kind: kind, unit: unit).value(number), digits: digits)
    }
}
