import ExistKit
import Foundation
import PledgeCoding

/// Converts the values of one attribute between the form in which Exist stores them and the form in which users see
/// them. Every form in which this tool prints a value can be read again.
struct ValueForm {
    /// The origin of a text that is read. It decides which unit a number without a unit has.
    enum Origin {
        /// The text comes from the command line. A number without a unit is in the unit that the account displays.
        case typed
        /// The text comes from a line of a file. `unit` is the unit that the line names, or empty if the line names
        /// none.
        case line(unit: String)
    }

    private let attribute: ExistKit.Attribute
    /// The unit in which Exist stores the values, and the unit in which the user sees them. Both are nil for values
    /// without a unit, such as counts, ratings, tags, texts, and money.
    private let (stored, shown): (ValueUnit?, ValueUnit?)
    private let kind: WeeklyReport.Kind
    private var type: ValueType { attribute.valueType }

    init(_ attribute: ExistKit.Attribute, for user: User) {
        self.attribute = attribute
        stored = attribute.storedUnit
        shown = attribute.shownUnit(for: user)
        kind = WeeklyReport.Kind(attribute.valueType)
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

// MARK: - Printing

extension ValueForm {
    /// Returns the cells for a value and its unit. When ``read(_:_:adds:)`` reads these cells, it returns exactly the
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

// MARK: - Reading

extension ValueForm {
    /// Parses a value as the user or a file writes it, and returns it in the form in which Exist stores it.
    ///
    /// - Parameter adds: Whether the value will be added to the stored value. If so, it may be negative.
    func read(_ text: String, _ origin: Origin, adds: Bool = false) throws -> AttributeValue {
        if adds, ![.int, .float, .periodMin].contains(type) {
            throw UsageError("\(attribute.name) cannot be incremented: use “pledge set”.")
        }
        let unit = try givenUnit(origin)
        // Spaces around a value are ignored, unless the value is a text.
        let bare = text.trimmingCharacters(in: .whitespaces)
        func mistake(_ meaning: String) -> UsageError { self.mistake(meaning, text) }
        switch type {
        case .string: return .text(text)
        case .boolean:
            let flag = ["yes": 1, "true": 1, "no": 0, "false": 0][bare.lowercased()] ?? Self.whole(bare)
            guard let flag, 0...1 ~= flag else { throw mistake("yes or no") }
            return .integer(flag)
        case .scale:
            guard let number = Self.whole(bare), 1...9 ~= number else { throw mistake("a number from 1 to 9") }
            return .integer(number)
        case .percentage:
            let isPercent = bare.hasSuffix("%")
            let digits = isPercent ? String(bare.dropLast()) : bare
            guard let number = Double(decimal: digits), isPercent || 0...1 ~= number else {
                throw mistake("a fraction such as 0.2, or 20%")
            }
            // Divides as a decimal number, because a binary division isn't exact: 21.4 / 100 would differ from 0.214.
            guard isPercent, let exact = Decimal(string: digits) else { return .decimal(number) }
            return .decimal(Double("\(exact / 100)") ?? number / 100)
        case .periodMin:
            // A text such as 7h30m contains its units. Only a plain number can be in another unit, which is handled
            // below.
            if unit == nil || unit == stored, let minutes = Self.whole(bare) ?? Self.minutes(bare), adds || minutes >= 0
            {
                return .integer(minutes)
            }
            guard let unit, unit != stored else { throw mistake("minutes, or a time such as 7h30m") }
            return try number(bare, unit, adds)
        case .minFromMidnight, .minFromMidday: return .integer(try timeOfDay(bare, unit, origin))
        case .unknown(let type):
            if case .line = origin {
                throw UsageError("\(attribute.name) is of the type \(type), which this version of pledge cannot write.")
            }
            return try number(bare, nil, adds)
        case .int, .float: return try number(bare, unit ?? onlyUnit(bare, origin), adds)
        }
    }

    private func mistake(_ meaning: String, _ text: String) -> UsageError {
        let comma = text.contains(",") ? " A decimal point is a point, not a comma." : ""
        return UsageError("\(attribute.name) takes \(meaning), not “\(text.excerpt)”.\(comma)")
    }

    /// Returns the unit that a line of a file names, or nil if it names none. Throws if the attribute's values can't be
    /// in that unit.
    private func givenUnit(_ origin: Origin) throws -> ValueUnit? {
        guard case .line(let name) = origin, !name.isEmpty else { return nil }
        guard let stored, let shown else {
            throw UsageError("\(attribute.name) has no unit, and so cannot be in “\(name.excerpt)”.")
        }
        guard let unit = ValueUnit.named(name), unit.isComparable(to: stored) else {
            let own = stored == shown ? stored.name : "\(shown.name) or \(stored.name)"
            throw UsageError("\(attribute.name) can be in \(own), but not in “\(name.excerpt)”.")
        }
        return unit
    }

    /// Returns the unit of a number that has none beside it, or nil if the attribute has no unit.
    ///
    /// On the command line, it is the unit that the account displays. In a file, the unit is certain only if Exist
    /// stores the values in the displayed unit. Otherwise, this method throws.
    private func onlyUnit(_ text: String, _ origin: Origin) throws -> ValueUnit? {
        guard case .line = origin, let stored, let shown, stored != shown else { return shown }
        let other = stored.isTimeOfDay ? ", or write a time such as 22:55" : ""
        throw UsageError(
            "\(attribute.name): “\(text.excerpt)” may be in \(shown.name) or in \(stored.name). Name the unit in a "
                + "column “unit”, or in a column's name, as in “weight (kg)”\(other).")
    }

    private func number(_ text: String, _ unit: ValueUnit?, _ adds: Bool) throws -> AttributeValue {
        let isWhole = type == .int || type == .periodMin
        guard let number = Double(decimal: text) else { throw mistake("a number", text) }
        guard let unit, let stored, unit != stored else {
            // A whole number is parsed as an integer first, because a `Double` would round a number with too many
            // digits.
            if let exact = Int(text) { return .integer(exact) }
            guard !isWhole || Self.isWhole(text, number) else { throw mistake("a whole number", text) }
            return Int(exactly: number).map { .integer($0) } ?? .decimal(number)
        }
        guard let exact = Decimal(string: text), exact.isFinite else { throw mistake("a smaller number", text) }
        // A number to add is a difference. Converting a temperature also moves its zero point, which must not happen to
        // a difference of temperatures. So the converted zero is subtracted.
        let sum = unit.number(exact, in: stored) - (adds ? unit.number(0, in: stored) : 0)
        if isWhole, let whole = Int("\(sum.rounded(to: 0))") { return .integer(whole) }
        guard let kept = Double("\(sum)"), kept.isFinite else { throw mistake("a smaller number", text) }
        return Int(exactly: kept).map { .integer($0) } ?? .decimal(kept)
    }

    private func timeOfDay(_ text: String, _ unit: ValueUnit?, _ origin: Origin) throws -> Int {
        let isFromMidday = type == .minFromMidday
        var time = Self.timeOfDay(text)
        if time == nil, case .line = origin, let minutes = Self.whole(text) {
            let isAfterMidday = try (unit ?? onlyUnit(text, origin))?.isAfterMidday ?? false
            // The tool prints a bedtime after midnight as 1440 minutes or more, up to 2160 for the next noon.
            let limit = isFromMidday && !isAfterMidday ? 2160 : 1440
            if 0..<limit ~= minutes {
                time = TimeOfDay(minutesFromMidnight: (isAfterMidday ? minutes + 720 : minutes) % 1440)
            }
        }
        guard let time else { throw mistake("a time such as 22:55", text) }
        return isFromMidday ? time.minutesFromMidday : time.minutesFromMidnight
    }

    /// Returns the time in a text such as `22:55` or `22:55:00`. `24:00` is midnight.
    private static func timeOfDay(_ text: String) -> TimeOfDay? {
        guard let (hour, minute) = clock(text[...]) else { return nil }
        return TimeOfDay(hour: hour == 24 && minute == 0 ? 0 : hour, minute: minute)
    }

    /// Returns the minutes in a text such as `7h30m`, `7h`, `45m`, `7:30`, or `7:30:00`. The text may begin with a
    /// minus sign. Returns nil for any other text.
    static func minutes(_ text: String) -> Int? {
        let sign = text.hasPrefix("-") ? -1 : 1
        var rest = text.lowercased()[...].dropFirst(sign < 0 ? 1 : 0)
        if let (hours, minutes) = clock(rest) { return sign * (hours * 60 + minutes) }
        var total: Int?
        for (mark, size) in [("h", 60), ("m", 1)] {
            guard let end = rest.firstIndex(of: Character(mark)) else { continue }
            // After a number of hours, the minutes must be below 60.
            guard let number = digits(rest[..<end]), total == nil || number < 60 else { return nil }
            total = (total ?? 0) + number * size
            rest = rest[rest.index(after: end)...]
        }
        return rest.isEmpty ? total.map { sign * $0 } : nil
    }

    /// Returns the hours and minutes in a text such as `7:30` or `7:30:00`.
    private static func clock(_ text: Substring) -> (hours: Int, minutes: Int)? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard 2...3 ~= parts.count, parts.dropFirst().allSatisfy({ $0.utf8.count == 2 }),
            parts.count == 2 || digits(parts[2]) == 0, let hours = digits(parts[0]), let minutes = digits(parts[1]),
            minutes < 60
        else { return nil }
        return (hours, minutes)
    }

    /// Returns a number of up to six digits. Spaces before and after the digits are ignored. Returns nil for any other
    /// text.
    private static func digits(_ text: Substring) -> Int? {
        let digits = text.drop { $0 == " " }.prefix { $0 != " " }
        let isAlone =
            text.utf8.allSatisfy { $0 == 0x20 || 0x30...0x39 ~= $0 }
            && text.utf8.count { $0 != 0x20 } == digits.utf8.count
        return isAlone && digits.utf8.count <= 6 ? Int(digits) : nil
    }

    private static func whole(_ text: String) -> Int? {
        guard let number = Double(decimal: text), isWhole(text, number) else { return nil }
        return Int(text) ?? Int(exactly: number)
    }

    /// Whether a number is whole and unambiguous. `8` and `8.0` are, because programs write whole numbers like that.
    /// “8.000” isn't, because it may mean eight thousand.
    private static func isWhole(_ text: String, _ number: Double) -> Bool {
        let hasOtherFraction = text.contains(".") && !text.hasSuffix(".0") && !text.lowercased().contains("e")
        return number == number.rounded() && !hasOtherFraction
    }
}
