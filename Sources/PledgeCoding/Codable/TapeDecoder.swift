import Foundation

/// Decodes `Decodable` values from a tape. It is two words in size, so creating one for every value costs nothing.
package struct TapeDecoder: Decoder {
    let tape: JSONTape
    let index: Int

    package var codingPath: [any CodingKey] { tape.path(to: index) }
    package var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Decodes the outermost value. Throws a `DecodingError`, or the type's own error.
    package static func decode<Value: Decodable>(_ type: Value.Type, from tape: JSONTape) throws -> Value {
        do {
            return try tape.withStack { try TapeDecoder(tape: tape, index: 0).read(type) }
        } catch let error as DecodingError {
            throw error.withWholePath
        }
    }

    package func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard kind == .object else { throw error(.mismatch([String: Any].self)) }
        return KeyedDecodingContainer(TapeObject<Key>(self))
    }

    package func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard kind == .list else { throw error(.mismatch([Any].self)) }
        return TapeArray(self)
    }

    package func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    var kind: TapeToken.Kind { tape.kind(at: index) }

    private func error(_ clause: TapeFailure.Clause) -> DecodingError {
        tape.error(TapeFailure(index, clause), at: tape.shortPath(to: index))
    }

    func read<Value: TapeScalar>(_ type: Value.Type) throws -> Value {
        do throws(TapeFailure) {
            return try Value.read(tape.memory, at: index)
        } catch {
            throw tape.error(error, at: tape.shortPath(to: index))
        }
    }

    /// Reads any other type; `URL`, `Data`, and `Decimal` are treated specially, as in Foundation's decoder.
    func read<Value: Decodable>(_ type: Value.Type) throws -> Value {
        // Foundation of Swift 6.0 would make a URL of an empty text.
        if type == URL.self, let url = try text("it is not a URL", { $0.isEmpty ? nil : URL(string: $0) }) as? Value {
            return url
        }
        if type == Data.self, let data = try text("it is not Base64 data", { Data(base64Encoded: $0) }) as? Value {
            return data
        }
        if tape.style == .snakeCase, type == Date.self,
            let date = try text("it is not a date", Self.date) as? Value
        {
            return date
        }
        if type == Decimal.self, let number = try read(Decimal.self) as? Value { return number }
        if let readable = type as? any Readable.Type, let value = try read(readable) as? Value { return value }
        return try type.init(from: self)
    }

    /// Returns a date and time, or the first moment in UTC of a day.
    private static func date(_ text: String) -> Date? {
        Timestamp.parse(text)?.date
            ?? CalendarDay.number(text).map { Date(timeIntervalSince1970: Double($0) * 86_400) }
    }

    /// Reads a type that has its own reader.
    func read<Value: Readable>(_ type: Value.Type) throws -> Value {
        try tape.withRoot(at: index) { (value) throws(TapeFailure) in try Value(reading: value) }
    }

    private func text<Value>(_ sentence: StaticString, _ parse: (String) -> Value?) throws -> Value {
        guard let value = parse(try read(String.self)) else { throw error(.corrupt(sentence)) }
        return value
    }
}

extension TapeDecoder: SingleValueDecodingContainer {
    package func decodeNil() -> Bool { kind == .null }
    // Each of the protocol's methods for a single scalar type is the first of these.
    package func decode<Value: TapeScalar>(_ type: Value.Type) throws -> Value { try read(type) }
    package func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try read(type) }
}
