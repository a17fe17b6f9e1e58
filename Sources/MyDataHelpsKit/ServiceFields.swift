import Foundation
import PledgeCoding

extension Date {
    /// The UTC date with milliseconds, as a query item.
    var queryText: String { ServiceDate.text(self) }
}

extension Set<String> {
    /// The values as one query item, separated by commas, with `\,` for a comma in a value; nil if empty. Sorted,
    /// because a set has no order and requests should be reproducible.
    var queryText: String? {
        isEmpty ? nil : sorted().map { $0.replacingOccurrences(of: ",", with: "\\,") }.joined(separator: ",")
    }
}

extension TapeValue {
    func word<Word: ServiceWord>() throws(TapeFailure) -> Word { Word(rawValue: try lenientText()) }
}

extension TapeFields {
    mutating func date(_ name: StaticString) throws(TapeFailure) -> Date {
        try required(name).parsed("it is not a date and time with a zone") { ServiceDate.parse($0) }
    }

    /// Decodes a date that may be missing, null, or `""`, which the service also uses for "never".
    mutating func optionalDate(_ name: StaticString) -> Date? { optionalTimestamp(name)?.date }

    /// Decodes an optional date with the UTC offset of its text, in seconds.
    mutating func optionalTimestamp(_ name: StaticString) -> (date: Date, offset: Int?)? {
        let time = optional(name) { (value) throws(TapeFailure) in
            try value.parsed("it is not a date and time with a zone") { (text) -> (date: Date, offset: Int?)?? in
                text.isEmpty ? .some(nil) : Timestamp.parse(text, needsOffset: true).map { .some($0) }
            }
        }
        return time ?? nil
    }

    /// Decodes an address without validating it; nil if it is missing, null or `""`.
    mutating func address(_ name: StaticString) throws(TapeFailure) -> String? {
        try text(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Decodes strings by key. Other values are encoded as JSON, and null is omitted.
    mutating func texts(_ name: StaticString) -> [String: String] {
        let texts = optional(name) { (value) throws(TapeFailure) in
            try value.repeatedTexts { (fields) throws(TapeFailure) in
                var texts: [String: String] = [:]
                try fields.forEach { (name, value) throws(TapeFailure) in texts[name] = try value.anyText() }
                return texts
            }
        }
        return texts ?? [:]
    }

    /// Decodes an object, or nil if that fails.
    mutating func optional<Model: Readable>(_ type: Model.Type, _ name: StaticString) -> Model? {
        optional(name) { (value) throws(TapeFailure) in try Model(reading: value) }
    }

    /// Decodes a participant's or a device's value: text, or JSON of any other value.
    mutating func anyText(_ name: StaticString) throws(TapeFailure) -> String? {
        try present(name)?.anyText()
    }
}

extension TapeValue {
    /// Returns text itself, and any other value as JSON with a number's original digits; nil for null.
    func anyText() throws(TapeFailure) -> String? {
        switch kind {
        case .text: try text()
        case .null: nil
        case .bool, .number, .list, .object: try json()
        }
    }

    private func json() throws(TapeFailure) -> String {
        switch kind {
        case .null: return "null"
        case .bool: return try bool() ? "true" : "false"
        case .number: return try digits()
        case .text: return Self.quoted(try text())
        case .list:
            var items: [String] = []
            try forEach { (_, item) throws(TapeFailure) in items.append(try item.json()) }
            return "[\(items.joined(separator: ","))]"
        case .object:
            var members: [(name: String, value: String)] = []
            try fields().forEach { (name, value) throws(TapeFailure) in members.append((name, try value.json())) }
            let texts = members.sorted { $0.name < $1.name }.map { "\(Self.quoted($0.name)):\($0.value)" }
            return "{\(texts.joined(separator: ","))}"
        }
    }

    private static func quoted(_ text: String) -> String {
        (try? JSONEncoder.text(text)) ?? "\"\""
    }
}

extension URL {
    /// Creates a URL from an address entered by a person; `www.example.com` and `example.com/help` are assumed to be
    /// `https`. Nil if ambiguous: `/logo.png` and `logo.png` have no known base.
    init?(written text: String?) {
        guard let text, !text.isEmpty, let url = URL(string: text) else { return nil }
        // The part before a colon may also be a host: “example.com:8443/help”.
        if let scheme = url.scheme, !scheme.contains(".") {
            self = url
            return
        }
        let rest = text.hasPrefix("//") ? String(text.dropFirst(2)) : text
        guard let whole = URL(string: "https://\(rest)"), whole.user == nil, let host = whole.host,
            rest.hasPrefix("www.") || rest.contains("/"), host.contains("."), !host.hasPrefix("."), !host.hasSuffix(".")
        else { return nil }
        self = whole
    }
}

enum ServiceDate {
    /// Returns the UTC date with milliseconds, or with more digits if it would otherwise be parsed as another date.
    static func exactText(_ date: Date) -> String {
        [3, 6].lazy.map { Timestamp.text(date, digits: $0) }.first { parse($0) == date }
            ?? Timestamp.text(date, digits: 9)
    }

    /// Returns the UTC date with milliseconds: `2024-03-02T09:11:12.131Z`.
    static func text(_ date: Date) -> String { Timestamp.text(date, digits: 3) }

    /// Parses a timestamp with a time zone; without one, it would depend on the reader's.
    static func parse(_ text: String) -> Date? { text.withBytes { parse($0) } }

    static func parse(_ text: TextBytes) -> Date? { Timestamp.parse(text, needsOffset: true)?.date }
}

extension KeyedEncodingContainer {
    // The code that the compiler synthesizes for this module's models calls these methods, so that dates have the
    // service's format, in UTC, whatever the encoder's strategy.

    mutating func encode(_ date: Date, forKey key: Key) throws { try encode(ServiceDate.exactText(date), forKey: key) }

    mutating func encodeIfPresent(_ date: Date?, forKey key: Key) throws {
        try encodeIfPresent(date.map(ServiceDate.exactText), forKey: key)
    }

    mutating func encode(_ offset: Uncompared<Int?>, forKey key: Key) throws {}
}

extension JSONDecoder {
    /// A decoder for the service's dates, with or without fractional seconds, and with any UTC offset.
    public static var myDataHelpsDecoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            guard let date = ServiceDate.parse(text) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "it is not a date and time with a zone")
            }
            return date
        }
        return decoder
    }
}

/// An open enumeration value of the service, such as a status. Known values have names, and unknown values are kept.
///
/// ```swift
/// switch task.status {
/// case .incomplete: remind()
/// case .complete, .closed: break
/// default: print("What is \(task.status)?")
/// }
/// ```
public protocol ServiceWord: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible
where RawValue == String {
    /// Creates a value from any string, known or not.
    init(rawValue: String)
}

extension ServiceWord {
    /// The string used by the service.
    public var description: String { rawValue }
}
