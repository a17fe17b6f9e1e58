import Foundation
import PledgeCoding

extension Date {
    /// A moment as a query has it: in UTC, to the millisecond.
    var queryText: String { ServiceDate.text(self) }
}

extension Set<String> {
    /// All of them in one item, nil for none: commas between them, and `\,` for one inside.
    ///
    /// In order, because a set has none and a request should be the same every time.
    var queryText: String? {
        isEmpty ? nil : sorted().map { $0.replacingOccurrences(of: ",", with: "\\,") }.joined(separator: ",")
    }
}

extension ValueSource {
    /// A word of the service's own.
    func word<Word: ServiceWord>() throws(Failure) -> Word { Word(rawValue: try repeatedText()) }
}

extension FieldSource {
    private var noDate: StaticString { "it is not a date and time with a zone" }

    /// A date that must be there.
    mutating func date(_ name: StaticString) throws(Value.Failure) -> Date {
        try required(name).parsed(noDate) { ServiceDate.parse($0) }
    }

    /// A date that may be missing, null, or `""`, which is how the service also writes "never".
    mutating func optionalDate(_ name: StaticString) throws(Value.Failure) -> Date? {
        try optionalTimestamp(name)?.date
    }

    /// The same, and the offset from UTC it was written with, in seconds.
    mutating func optionalTimestamp(_ name: StaticString) throws(Value.Failure) -> (date: Date, offset: Int)? {
        guard let value = present(name) else { return nil }
        return try value.parsed(noDate) { (text) -> (date: Date, offset: Int)?? in
            text.isEmpty ? .some(nil) : Timestamp.parse(text, needsOffset: true).map { .some($0) }
        }
    }

    /// An address as it is written; nil where it is missing, null or `""`.
    mutating func address(_ name: StaticString) throws(Value.Failure) -> String? {
        try repeatedText(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Texts by name. What is no text is written as JSON, and null is left out.
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
    /// Text as it is, and everything else as JSON; nil for null.
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
    /// An address as people write it: one without a scheme, such as `www.example.com` or `example.com/help`, is taken for
    /// `https`. Nil for what may be something else: in `/logo.png` and `logo.png` nobody says what it is relative to.
    init?(written text: String?) {
        guard let text, let url = URL(string: text) else { return nil }
        // What is before a colon may be a host as well: “example.com:8443/help”.
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
