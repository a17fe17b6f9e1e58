/// Decodes the values of an array one by one. A value that cannot be decoded is not skipped.
struct TapeArray: UnkeyedDecodingContainer {
    private let decoder: TapeDecoder
    private var index: Int
    private(set) var currentIndex = 0

    init(_ decoder: TapeDecoder) {
        self.decoder = decoder
        index = decoder.index + 1
        count = decoder.tape.memory.token(decoder.index).length
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    let count: Int?
    var isAtEnd: Bool { currentIndex == count }

    private mutating func next<Value>(_ read: (TapeDecoder) throws -> Value) throws -> Value {
        guard !isAtEnd else {
            let context = DecodingError.Context(
                codingPath: decoder.tape.shortPath(to: decoder.index) + [TapeKey.index(currentIndex)],
                debugDescription: "the list has ended")
            throw DecodingError.valueNotFound(Value.self, context)
        }
        let value = try read(TapeDecoder(tape: decoder.tape, index: index))
        index = decoder.tape.memory.next(after: index)
        currentIndex += 1
        return value
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, decoder.tape.kind(at: index) == .null else { return false }
        return try next { $0.decodeNil() }
    }

    mutating func decode<Value: TapeScalar>(_ type: Value.Type) throws -> Value { try next { try $0.read(type) } }
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next { try $0.read(type) } }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try next { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try next { $0 } }
}
