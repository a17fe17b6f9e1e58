import Foundation
import PledgeCoding

extension Date {
    /// The date as a query item: in UTC, with milliseconds.
    var queryText: String { ServiceDate.text(self) }
}

extension Set<String> {
    /// All values joined into one query item, separated by commas, with `\,` for a comma in a value; nil if empty.
    ///
    /// Sorted, because a set has no order and requests should be reproducible.
    var queryText: String? {
        isEmpty ? nil : sorted().map { $0.replacingOccurrences(of: ",", with: "\\,") }.joined(separator: ",")
    }
}

extension ValueSource {
    /// Decodes an open enumeration value of the service.
    func word<Word: ServiceWord>() throws(Failure) -> Word { Word(rawValue: try repeatedText()) }
}

extension FieldSource {
    private var noDate: StaticString { "it is not a date and time with a zone" }

    /// Decodes a required date.
    mutating func date(_ name: StaticString) throws(Value.Failure) -> Date {
        try required(name).parsed(noDate) { ServiceDate.parse($0) }
    }

    /// Decodes a date that may be missing, null, or `""`, which the service also uses for "never".
    mutating func optionalDate(_ name: StaticString) throws(Value.Failure) -> Date? {
        try optionalTimestamp(name)?.date
    }

    /// Decodes such a date together with the UTC offset of its text, in seconds.
    mutating func optionalTimestamp(_ name: StaticString) throws(Value.Failure) -> (date: Date, offset: Int)? {
        guard let value = present(name) else { return nil }
        return try value.parsed(noDate) { (text) -> (date: Date, offset: Int)?? in
            text.isEmpty ? .some(nil) : Timestamp.parse(text, needsOffset: true).map { .some($0) }
        }
    }

    /// Decodes an address without validating it; nil if it is missing, null or `""`.
    mutating func address(_ name: StaticString) throws(Value.Failure) -> String? {
        try repeatedText(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Decodes strings by key. Other values are encoded as JSON, and null is omitted.
    mutating func texts(_ name: StaticString) throws(Value.Failure) -> [String: String] {
        guard let value = present(name) else { return [:] }
        var texts: [String: String] = [:]
        try value.fields().forEach { (name, value) throws(Value.Failure) in
            switch value.kind {
            case .text: texts[name] = try value.repeatedText()
            case .null: break
            case .bool, .number, .list, .object: texts[name] = try JSONValue(reading: value).asText
            }
        }
        return texts
    }
}

extension JSONValue {
    /// The string itself, and any other value encoded as JSON; nil for null.
    fileprivate var asText: String? {
        switch self {
        case .null: return nil
        case .string(let text): return text
        case .bool(let flag): return flag ? "true" : "false"
        case .integer(let number): return String(number)
        case .number(let number): return String(number)
        case .array, .object:
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) }
        }
    }
}

extension URL {
    /// Creates a URL from an address entered by a person. One without a scheme, such as `www.example.com` or
    /// `example.com/help`, is assumed to be `https`. Nil if ambiguous: `/logo.png` and `logo.png` have no known base.
    init?(written text: String?) {
        guard let text, let url = URL(string: text) else { return nil }
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
