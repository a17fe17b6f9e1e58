import Foundation

extension KeyedDecodingContainer {
    func text(_ key: Key) throws -> String? {
        try decodeIfPresent(String.self, forKey: key)
    }
    func date(_ key: Key) throws -> Date {
        try Self.date(try decode(String.self, forKey: key), key, self)
    }
    func optionalDate(_ key: Key) throws -> Date? {
        guard let text = try text(key), !text.isEmpty else { return nil }
        return try Self.date(text, key, self)
    }

    private static func date(_ text: String, _ key: Key, _ container: Self) throws -> Date {
        guard let date = ServiceDate.parse(text) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: container, debugDescription: "it is not a date and time with a zone")
        }
        return date
    }
    func address(_ key: Key) throws -> URL? {
        guard let text = try text(key), let url = URL(string: text), url.scheme != nil else { return nil }
        return url
    }
    func flag(_ key: Key) throws -> Bool? {
        try decodeIfPresent(LenientBool.self, forKey: key)?.value
    }
    func texts(_ key: Key) throws -> [String: String] {
        if let texts = try? decodeIfPresent([String: String].self, forKey: key) { return texts }
        return try decodeIfPresent([String: JSONValue].self, forKey: key)?.compactMapValues(\.asText) ?? [:]
    }
    func list<Item>(of type: Item.Type, _ key: Key) throws -> ItemList<Item>? {
        try decodeIfPresent(ItemList<Item>.self, forKey: key)
    }
}

extension JSONValue {
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
