import Foundation

/// Decodes `Decodable` values from a tape. It is two words in size, so creating one for every value costs nothing.
package struct TapeDecoder: Decoder {
    let tape: JSONTape
    let index: Int

    package var codingPath: [any CodingKey] { tape.path(to: index) }
    package var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Decodes the outermost value.
    ///
    /// - Throws: A `DecodingError`, or the type's own error.
    package static func decode<Value: Decodable>(_ type: Value.Type, from tape: JSONTape) throws -> Value {
        do {
            return try TapeDecoder(tape: tape, index: 0).read(type)
        } catch let error as DecodingError {
            throw error.withWholePath
        }
    }

    package func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard kind == .object else { throw error(.mismatch([String: Any].self)) }
        return KeyedDecodingContainer(TapeObject<Key>(self))
    }

    package func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard kind == .array else { throw error(.mismatch([Any].self)) }
        return TapeArray(self)
    }

    package func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    var kind: TapeToken.Kind { tape.kind(at: index) }

    private func error(_ clause: TapeFailure.Clause) -> DecodingError {
        tape.error(TapeFailure(index, clause), at: tape.shortPath(to: index))
    }

    /// Returns the value at this index, or throws an error with its path.
    @inline(__always) private func located<Value>(_ read: (TapeMemory) throws(TapeFailure) -> Value) throws -> Value {
        do throws(TapeFailure) {
            return try read(tape.memory)
        } catch {
            throw tape.error(error, at: tape.shortPath(to: index))
        }
    }

    func read(_ type: Bool.Type) throws -> Bool {
        try located { (memory) throws(TapeFailure) in try memory.bool(at: index) }
    }
    func read(_ type: String.Type) throws -> String {
        try located { (memory) throws(TapeFailure) in try memory.text(at: index) }
    }
    func read(_ type: Double.Type) throws -> Double {
        try located { (memory) throws(TapeFailure) in try memory.double(at: index) }
    }
    func read<Number: FixedWidthInteger & Decodable>(_ type: Number.Type) throws -> Number {
        try located { (memory) throws(TapeFailure) in try memory.integer(at: index) }
    }

    func read(_ type: Float.Type) throws -> Float {
        try number { JSONNumber.double($0).map { Float($0) }.flatMap { $0.isFinite ? $0 : nil } }
    }

    private func number<Number>(_ parse: (TextBytes) -> Number?) throws -> Number {
        try located { (memory) throws(TapeFailure) in try memory.number(at: index) { _, text in parse(text) } }
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
            let date = try text("it is not a date and time", { Timestamp.parse($0)?.date }) as? Value
        {
            return date
        }
        if type == Decimal.self, let number = try number({ Self.decimal($0.string) }) as? Value { return number }
        if let readable = type as? any Readable.Type, let value = try read(readable) as? Value { return value }
        return try type.init(from: self)
    }

    /// Reads a type that has its own reader.
    func read<Value: Readable>(_ type: Value.Type) throws -> Value {
        try tape.withRoot(at: index) { (value) throws(TapeFailure) in try Value.read(tape: value) }
    }

    private func text<Value>(_ sentence: StaticString, _ parse: (String) -> Value?) throws -> Value {
        guard let value = parse(try read(String.self)) else { throw error(.corrupt(sentence)) }
        return value
    }

    static func decimal(_ text: String) -> Decimal? {
        Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
    }
}

extension TapeDecoder: SingleValueDecodingContainer {
    package func decodeNil() -> Bool { kind == .null }
    package func decode(_ type: Bool.Type) throws -> Bool { try read(type) }
    package func decode(_ type: String.Type) throws -> String { try read(type) }
    package func decode(_ type: Double.Type) throws -> Double { try read(type) }
    package func decode(_ type: Float.Type) throws -> Float { try read(type) }
    package func decode(_ type: Int.Type) throws -> Int { try read(type) }
    package func decode(_ type: Int8.Type) throws -> Int8 { try read(type) }
    package func decode(_ type: Int16.Type) throws -> Int16 { try read(type) }
    package func decode(_ type: Int32.Type) throws -> Int32 { try read(type) }
    package func decode(_ type: Int64.Type) throws -> Int64 { try read(type) }
    package func decode(_ type: UInt.Type) throws -> UInt { try read(type) }
    package func decode(_ type: UInt8.Type) throws -> UInt8 { try read(type) }
    package func decode(_ type: UInt16.Type) throws -> UInt16 { try read(type) }
    package func decode(_ type: UInt32.Type) throws -> UInt32 { try read(type) }
    package func decode(_ type: UInt64.Type) throws -> UInt64 { try read(type) }
    package func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try read(type) }
}
