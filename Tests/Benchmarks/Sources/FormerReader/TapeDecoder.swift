import Foundation

struct TapeDecoder: Decoder {
    let tape: JSONTape
    let index: Int

    var codingPath: [any CodingKey] { tape.path(to: index) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    static func decode<Value: Decodable>(_ type: Value.Type, from tape: JSONTape) throws -> Value {
        try TapeDecoder(tape: tape, index: 0).read(type)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try require([String: Any].self, tape.tokens[index].kind == .object)
        return KeyedDecodingContainer(TapeObject<Key>(self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try require([Any].self, tape.tokens[index].kind == .array)
        return TapeArray(self)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    private func require(_ type: Any.Type, _ isRight: Bool) throws {
        if !isRight { throw mismatch(type) }
    }
    private func mismatch(_ type: Any.Type) -> DecodingError {
        let kind = tape.tokens[index].kind
        let context = DecodingError.Context(
            codingPath: codingPath, debugDescription: "it is \(kind.words) instead of \(type)")
        return kind == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    func read(_ type: Bool.Type) throws -> Bool {
        switch tape.tokens[index].kind {
        case .true: true
        case .false: false
        default: throw mismatch(type)
        }
    }

    func read(_ type: String.Type) throws -> String {
        switch tape.tokens[index].kind {
        case .string, .escapedString: tape.string(at: index)
        default: throw mismatch(type)
        }
    }

    func read(_ type: Double.Type) throws -> Double { try number(type, tape.double(at:)) }

    func read(_ type: Float.Type) throws -> Float {
        let number = Float(try read(Double.self))
        return try self.number(type) { _ in number.isFinite ? number : nil }
    }

    func read<Number: FixedWidthInteger & Decodable>(_ type: Number.Type) throws -> Number {
        try number(type) { index -> Number? in tape.integer(at: index) }
    }

    private func number<Number>(_ type: Number.Type, _ parse: (Int) -> Number?) throws -> Number {
        guard [.integer, .decimal].contains(tape.tokens[index].kind) else { throw mismatch(type) }
        guard let number = parse(index) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: codingPath, debugDescription: "it is a number that \(type) cannot hold"))
        }
        return number
    }
    func read<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if type == URL.self, let url = try text(as: type, URL.init(string:)) as? Value { return url }
        if type == Data.self, let data = try text(as: type, { Data(base64Encoded: $0) }) as? Value { return data }
        if type == Decimal.self, let number = try decimal() as? Value { return number }
        return try type.init(from: self)
    }

    private func text<Value>(as type: Any.Type, _ parse: (String) -> Value?) throws -> Value {
        guard let value = parse(try read(String.self)) else {
            throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: "it is no \(type)"))
        }
        return value
    }

    private func decimal() throws -> Decimal {
        try number(Decimal.self) { index in
            let token = tape.tokens[index]
            let text = tape.bytes[Int(token.start)..<Int(token.start + token.length)]
            return Decimal(string: String(decoding: text, as: UTF8.self), locale: Locale(identifier: "en_US_POSIX"))
        }
    }
}

extension JSONTape.Token.Kind {
    fileprivate var words: String {
        switch self {
        case .null: "null"
        case .true, .false: "a truth value"
        case .integer, .decimal: "a number"
        case .string, .escapedString: "text"
        case .array: "a list"
        case .object: "an object"
        }
    }
}

extension TapeDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { tape.tokens[index].kind == .null }
    func decode(_ type: Bool.Type) throws -> Bool { try read(type) }
    func decode(_ type: String.Type) throws -> String { try read(type) }
    func decode(_ type: Double.Type) throws -> Double { try read(type) }
    func decode(_ type: Float.Type) throws -> Float { try read(type) }
    func decode(_ type: Int.Type) throws -> Int { try read(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try read(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try read(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try read(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try read(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try read(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try read(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try read(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try read(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try read(type) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try read(type) }
}
