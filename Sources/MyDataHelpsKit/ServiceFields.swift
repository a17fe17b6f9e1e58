import Foundation
import PledgeCoding
import PledgeHTTP

extension Date {
    /// The date in UTC with milliseconds, for use in a query item.
    var queryText: String { ServiceDate.text(self) }
}

extension Set<String> {
    /// The values in one query item, separated by commas; nil if the set is empty. A comma within a value becomes `\,`.
    ///
    /// The values are sorted, because a set has no order and requests should be reproducible.
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

    /// Decodes a date that may be missing, null, or `""`. The service also sends `""` for "never".
    mutating func optionalDate(_ name: StaticString) -> Date? { optionalTimestamp(name)?.date }

    /// Decodes a date that may be missing, null, or `""`, together with its UTC offset in seconds.
    mutating func optionalTimestamp(_ name: StaticString) -> (date: Date, offset: Int?)? {
        optional(name) { (value) throws(TapeFailure) in
            try value.parsed("it is not a date and time with a zone") { Timestamp.parse($0, needsOffset: true) }
        }
    }

    /// Decodes a word of the service that may be missing.
    mutating func word<Word: ServiceWord>(_ name: StaticString) -> Word? {
        present(name)?.recordingFailure { (value) throws(TapeFailure) in try value.word() }
    }

    /// Decodes a dictionary of strings. A value that is not a string is encoded as JSON, and null is left out.
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

    /// Decodes a value that comes from a participant or a device. Text is returned as it is, and any other value as
    /// JSON.
    mutating func anyText(_ name: StaticString) -> String? {
        present(name)?.recordingFailure { (value) throws(TapeFailure) in try value.anyText() } ?? nil
    }
}

extension TapeValue {
    /// Returns a text as it is, and any other value as JSON. A number keeps its original digits. Returns nil for null.
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
    /// Creates a URL from an address that a person entered. An address without a scheme, such as `www.example.com` or
    /// `example.com/help`, becomes an `https` URL.
    ///
    /// Returns nil if the address may be relative, such as `/logo.png` or `logo.png`, because its base is unknown.
    init?(written text: String?) {
        guard let text, !text.isEmpty, let url = URL(string: text) else { return nil }
        // The text before the first colon may be a host instead of a scheme, as in “example.com:8443/help”.
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
    /// Returns the date in UTC with milliseconds. If milliseconds are not precise enough to restore exactly the same
    /// date, the text has more digits.
    static func exactText(_ date: Date) -> String {
        [3, 6].lazy.map { Timestamp.text(date, digits: $0) }.first { parse($0) == date }
            ?? Timestamp.text(date, digits: 9)
    }

    /// Returns the date in UTC with milliseconds, such as `2024-03-02T09:11:12.131Z`.
    static func text(_ date: Date) -> String { Timestamp.text(date, digits: 3) }

    /// Parses a timestamp that states its time zone. Any other timestamp is refused, because its date would depend on
    /// the time zone of the reader.
    static func parse(_ text: String) -> Date? { text.withBytes { parse($0) } }

    static func parse(_ text: TextBytes) -> Date? { Timestamp.parse(text, needsOffset: true)?.date }
}

extension KeyedEncodingContainer {
    // The compiler synthesizes `Encodable` code for this module's models, and that code calls these methods. So dates
    // have the service's format, in UTC, even if the encoder has another strategy for dates.

    mutating func encode(_ date: Date, forKey key: Key) throws { try encode(ServiceDate.exactText(date), forKey: key) }

    mutating func encodeIfPresent(_ date: Date?, forKey key: Key) throws {
        try encodeIfPresent(date.map(ServiceDate.exactText), forKey: key)
    }

    mutating func encode(_ offset: Uncompared<Int?>, forKey key: Key) throws {}
}

extension JSONDecoder {
    /// A decoder that can decode the service's dates, with or without fractional seconds, and with any UTC offset.
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

/// A word that the service uses for a value, such as a status. Known words have names in Swift. The service may add
/// words, and an unknown word is kept as it is.
///
/// ```swift
/// switch task.status {
/// case .incomplete: remind()
/// case .complete, .closed: break
/// default: print("What is \(task.status)?")
/// }
/// ```
public protocol ServiceWord: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible, QueryValue
where RawValue == String {
    /// Creates a value from any string, whether it is known or not.
    init(rawValue: String)
}

extension ServiceWord {
    /// The string that the service uses for the value.
    public var description: String { rawValue }
}
