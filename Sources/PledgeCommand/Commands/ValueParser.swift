import ExistKit
import Foundation
import PledgeCoding

/// Parses a value as the user or a file writes it. The result has the form in which Exist stores it.
struct ValueParser {
    /// The origin of the text. It decides which unit a number without a unit has.
    enum Origin {
        /// The text comes from the command line. A number without a unit is in the unit that the account displays.
        case typed
        /// The text comes from a line of a file. `unit` is the unit that the line names, or empty if the line names
        /// none.
        case line(unit: String)
    }

    private let text: String
    /// The text without spaces around it. They are ignored, unless the value is a text.
    private let bare: String
    private let attribute: ExistKit.Attribute
    private let origin: Origin
    /// Whether the value will be added to the stored value. If so, it may be negative.
    private let adds: Bool
    /// The unit in which Exist stores the values, and the unit in which the user sees them. Both are nil for values
    /// without a unit, such as counts, ratings, tags, texts, and money.
    private let (stored, shown): (ValueUnit?, ValueUnit?)
    private var type: ValueType { attribute.valueType }

    init(_ text: String, of attribute: ExistKit.Attribute, for user: User, from origin: Origin, adds: Bool) {
        self.text = text
        bare = text.trimmingCharacters(in: .whitespaces)
        self.attribute = attribute
        self.origin = origin
        self.adds = adds
        stored = attribute.storedUnit
        shown = attribute.shownUnit(for: user)
    }

    func parse() throws -> AttributeValue {
        if adds, ![.int, .float, .periodMin].contains(type) {
            throw UsageError("\(attribute.name) cannot be incremented: use “pledge set”.")
        }
        let unit = try givenUnit()
        switch type {
        case .string: return .text(text)
        case .boolean: return .integer(try flag())
        case .scale: return .integer(try rating())
        case .percentage: return .decimal(try fraction())
        case .periodMin: return try duration(unit)
        case .minFromMidnight, .minFromMidday: return .integer(try timeOfDay(unit))
        case .int, .float: return try number(unit ?? onlyUnit())
        case .unknown(let type):
            if case .line = origin {
                throw UsageError("\(attribute.name) is of the type \(type), which this version of pledge cannot write.")
            }
            return try number(nil)
        }
    }

    private func mistake(_ meaning: String) -> UsageError {
        let comma = text.contains(",") ? " A decimal point is a point, not a comma." : ""
        return UsageError("\(attribute.name) takes \(meaning), not “\(text.excerpt)”.\(comma)")
    }
}

extension ValueParser {
    /// Returns the unit that a line of a file names, or nil if it names none. Throws if the attribute's values can't be
    /// in that unit.
    private func givenUnit() throws -> ValueUnit? {
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
    private func onlyUnit() throws -> ValueUnit? {
        guard case .line = origin, let stored, let shown, stored != shown else { return shown }
        let other = stored.isTimeOfDay ? ", or write a time such as 22:55" : ""
        throw UsageError(
            "\(attribute.name): “\(bare.excerpt)” may be in \(shown.name) or in \(stored.name). Name the unit in a "
                + "column “unit”, or in a column's name, as in “weight (kg)”\(other).")
    }
}

extension ValueParser {
    private func flag() throws -> Int {
        let flag = ["yes": 1, "true": 1, "no": 0, "false": 0][bare.lowercased()] ?? Self.whole(bare)
        guard let flag, 0...1 ~= flag else { throw mistake("yes or no") }
        return flag
    }

    private func rating() throws -> Int {
        guard let number = Self.whole(bare), 1...9 ~= number else { throw mistake("a number from 1 to 9") }
        return number
    }

    private func fraction() throws -> Double {
        let isPercent = bare.hasSuffix("%")
        let digits = isPercent ? String(bare.dropLast()) : bare
        guard let number = Double(decimal: digits), isPercent || 0...1 ~= number else {
            throw mistake("a fraction such as 0.2, or 20%")
        }
        // Divides as a decimal number, because a binary division isn't exact: 21.4 / 100 would differ from 0.214.
        guard isPercent, let exact = Decimal(string: digits) else { return number }
        return Double("\(exact / 100)") ?? number / 100
    }

    private func duration(_ unit: ValueUnit?) throws -> AttributeValue {
        // A text such as 7h30m contains its units. Only a plain number can be in another unit.
        if let unit, unit != stored { return try number(unit) }
        guard let minutes = Self.whole(bare) ?? Self.minutes(bare), adds || minutes >= 0 else {
            throw mistake("minutes, or a time such as 7h30m")
        }
        return .integer(minutes)
    }

    private func timeOfDay(_ unit: ValueUnit?) throws -> Int {
        let isFromMidday = type == .minFromMidday
        var time = Self.timeOfDay(bare)
        if time == nil, case .line = origin, let minutes = Self.whole(bare) {
            let isAfterMidday = try (unit ?? onlyUnit())?.isAfterMidday ?? false
            // The tool prints a bedtime after midnight as 1440 minutes or more, up to 2160 for the next noon.
            let limit = isFromMidday && !isAfterMidday ? 2160 : 1440
            if 0..<limit ~= minutes {
                time = TimeOfDay(minutesFromMidnight: (isAfterMidday ? minutes + 720 : minutes) % 1440)
            }
        }
        guard let time else { throw mistake("a time such as 22:55") }
        return isFromMidday ? time.minutesFromMidday : time.minutesFromMidnight
    }

    private func number(_ unit: ValueUnit?) throws -> AttributeValue {
        let isWhole = type == .int || type == .periodMin
        guard let number = Double(decimal: bare) else { throw mistake("a number") }
        guard let unit, let stored, unit != stored else {
            // A whole number is parsed as an integer first, because a `Double` would round a number with too many
            // digits.
            if let exact = Int(bare) { return .integer(exact) }
            guard !isWhole || Self.isWhole(bare, number) else { throw mistake("a whole number") }
            return Int(exactly: number).map { .integer($0) } ?? .decimal(number)
        }
        guard let exact = Decimal(string: bare), exact.isFinite else { throw mistake("a smaller number") }
        // A number to add is a difference. Converting a temperature also moves its zero point, which must not happen to
        // a difference of temperatures. So the converted zero is subtracted.
        let sum = unit.number(exact, in: stored) - (adds ? unit.number(0, in: stored) : 0)
        if isWhole, let whole = Int("\(sum.rounded(to: 0))") { return .integer(whole) }
        guard let kept = Double("\(sum)"), kept.isFinite else { throw mistake("a smaller number") }
        return Int(exactly: kept).map { .integer($0) } ?? .decimal(kept)
    }
}

extension ValueParser {
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
