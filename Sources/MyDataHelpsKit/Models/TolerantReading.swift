import Foundation
import PledgeCoding

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
        guard let value = present(name) else { return nil }
        return try value.parsed(noDate) { (text) -> Date?? in
            text.isEmpty ? .some(nil) : ServiceDate.parse(text).map { .some($0) }
        }
    }

    /// An address that may be missing, null, `""`, or no address at all.
    mutating func address(_ name: StaticString) throws(Value.Failure) -> URL? {
        guard let text = try text(name), let url = URL(string: text), url.scheme != nil else { return nil }
        return url
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
