import ExistKit
import Foundation

/// An attribute's name or label and its new value, such as `mood=7` or `tag: coffee`.
struct Assignment {
    var name: String
    var value: String
    var isTag = false
    /// Whether the value is added to the stored one; it may be negative.
    let adds: Bool
    /// Whether a time of day may be minutes after midnight, which someone who types it does not mean.
    private var isPrinted = false

    init(_ text: String, adds: Bool = false) throws {
        self.adds = adds
        if !adds, text.lowercased().hasPrefix("tag:") {
            name = text.dropFirst(4).trimmingCharacters(in: .whitespaces)
            (value, isTag) = ("yes", true)
            if let end = name.firstIndex(of: "=") {
                let tag = name[..<end]
                throw UsageError("“\(text)”: a tag is set by its name alone, and cleared as “\(tag)=no”.")
            }
        } else {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else {
                let way = adds ? "\(text)=1" : "\(text)=7, or a tag as “tag: \(text)”"
                throw UsageError("“\(text)” has no value: write \(way).")
            }
            name = parts[0].trimmingCharacters(in: .whitespaces)
            value = parts[1].trimmingCharacters(in: .whitespaces)
        }
        guard !name.isEmpty else { throw UsageError("“\(text)” names no attribute.") }
        guard !value.isEmpty else {
            throw UsageError("“\(text)” has no value. Exist can replace a value, but not clear it.")
        }
    }

    /// Creates an assignment from a line of a file, in the form in which “pledge attributes” prints it.
    init(name: String, printed value: String) {
        (self.name, self.value, adds, isPrinted) = (name, value, false, true)
    }

    /// Returns the value as the service stores it, converted from the user's units.
    func stored(_ attribute: ExistKit.Attribute, _ user: User) throws -> AttributeValue {
        func mistake(_ meaning: String) -> UsageError {
            UsageError("\(attribute.name) takes \(meaning), not “\(value)”.")
        }
        if adds, ![.int, .float, .periodMin].contains(attribute.valueType) {
            throw UsageError("\(attribute.name) cannot be incremented: use “pledge set”.")
        }
        let whole = Double(value).flatMap { Int(exactly: $0) }
        switch attribute.valueType {
        case .string: return .text(value)
        case .boolean:
            let flag = ["yes": 1, "true": 1, "no": 0, "false": 0][value.lowercased()] ?? whole
            guard let flag, 0...1 ~= flag else { throw mistake("yes or no") }
            return .integer(flag)
        case .scale:
            guard let number = whole, 1...9 ~= number else { throw mistake("a number from 1 to 9") }
            return .integer(number)
        case .periodMin:
            guard let minutes = whole ?? Self.minutes(value), adds || minutes >= 0 else {
                throw mistake("minutes, or a time such as 7h30m")
            }
            return .integer(minutes)
        case .minFromMidnight, .minFromMidday:
            let parts = value.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
            let isFromMidday = attribute.valueType == .minFromMidday
            var time = parts.count == 2 ? TimeOfDay(hour: parts[0] ?? -1, minute: parts[1] ?? -1) : nil
            // A bedtime after midnight is printed as more than 24 hours.
            if isPrinted, let whole, 0..<(isFromMidday ? 2160 : 1440) ~= whole {
                time = TimeOfDay(minutesFromMidnight: whole % 1440)
            }
            guard let time else { throw mistake("a time such as 22:55") }
            return .integer(isFromMidday ? time.minutesFromMidday : time.minutesFromMidnight)
        case .percentage:
            let isPercent = value.hasSuffix("%")
            guard let number = Double(isPercent ? String(value.dropLast()) : value), number.isFinite,
                isPercent || 0...1 ~= number
            else {
                throw mistake("a fraction such as 0.2, or 20%")
            }
            return .decimal(isPercent ? number / 100 : number)
        case .int, .float, .unknown:
            guard let number = Double(value), number.isFinite else { throw mistake("a number") }
            let kept = DisplayUnit(attribute, for: user).keep(number)
            // A number of more digits than a Double has.
            if kept == number, let exact = Int(value) { return .integer(exact) }
            let wantsWhole = attribute.valueType == .int
            if let whole = Int(exactly: wantsWhole ? kept.rounded() : kept) {
                guard !wantsWhole || kept != number || number == number.rounded() else {
                    throw mistake("a whole number")
                }
                return .integer(whole)
            }
            return .decimal(kept)
        }
    }

    /// Returns the minutes in `450`, `7h30m`, `7h`, `45m`, or `7:30`, with an optional minus sign; nil for other text.
    static func minutes(_ text: String) -> Int? {
        if let number = Int(text) { return number }
        let sign = text.hasPrefix("-") ? -1 : 1
        var rest = text.dropFirst(sign < 0 ? 1 : 0).lowercased().filter { $0 != " " }[...]
        if rest.contains(":") { rest = (rest.replacingOccurrences(of: ":", with: "h") + "m")[...] }
        var total: Int?
        for (mark, size) in [("h", 60), ("m", 1)] {
            guard let end = rest.firstIndex(of: Character(mark)) else { continue }
            // Minutes after hours must be below 60.
            guard let number = Int(rest[..<end]), 0...(total == nil ? 100_000 : 59) ~= number else { return nil }
            total = (total ?? 0) + number * size
            rest = rest[rest.index(after: end)...]
        }
        return rest.isEmpty ? total.map { sign * $0 } : nil
    }
}
