/// The members of an object.
struct TapeMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let tape: JSONTape
    let object: Int

    var codingPath: [any CodingKey] { tape.path(to: object) }

    var allKeys: [Key] {
        var keys: [Key] = []
        let end = Int(tape.nodes[object].end)
        var key = object + 1
        while key < end {
            if let name = tape.text(key).flatMap(Key.init(stringValue:)) { keys.append(name) }
            key = tape.index(after: key + 1)
        }
        return keys
    }

    func contains(_ key: Key) -> Bool { find(key) != nil }

    private func find(_ key: Key) -> TapeDecoder? {
        tape.member(key.stringValue, of: object).map { TapeDecoder(tape: tape, index: $0) }
    }

    /// The member; where it is missing, an error that says so.
    private func get(_ key: Key) throws -> TapeDecoder {
        guard let value = find(key) else {
            throw DecodingError.keyNotFound(
                key, .init(codingPath: codingPath, debugDescription: "No value associated with key \(key)."))
        }
        return value
    }

    /// The member, unless it is missing or null.
    private func present(_ key: Key) -> TapeDecoder? {
        find(key).flatMap { $0.decodeNil() ? nil : $0 }
    }

    func decodeNil(forKey key: Key) throws -> Bool { try get(key).decodeNil() }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try get(key).decode(type) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try get(key).decode(type) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try get(key).decode(type) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try get(key).decode(type) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try get(key).number(type) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try get(key).number(type) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try get(key).number(type) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try get(key).number(type) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try get(key).number(type) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try get(key).number(type) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try get(key).number(type) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try get(key).number(type) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try get(key).number(type) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try get(key).number(type) }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try get(key).value(type) }

    // The usual ones look for the key three times.
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try present(key)?.decode(type) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try present(key)?.decode(type) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try present(key)?.decode(type) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try present(key)?.number(type) }
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? { try present(key)?.value(type) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try get(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try get(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        guard let value = tape.member("super", of: object) else {
            throw DecodingError.keyNotFound(
                TapeKey(stringValue: "super"), .init(codingPath: codingPath, debugDescription: "There is no “super”."))
        }
        return TapeDecoder(tape: tape, index: value)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { try get(key) }
}

/// The items of an array, one after another.
struct TapeItems: UnkeyedDecodingContainer {
    let tape: JSONTape
    let array: Int
    private var next: Int
    private(set) var currentIndex = 0

    init(tape: JSONTape, array: Int) {
        self.tape = tape
        self.array = array
        next = array + 1
    }

    var codingPath: [any CodingKey] { tape.path(to: array) }
    var count: Int? { Int(tape.nodes[array].count) }
    var isAtEnd: Bool { currentIndex == Int(tape.nodes[array].count) }

    /// The item; it is passed only once it could be read.
    private func item(_ type: Any.Type) throws -> TapeDecoder {
        guard !isAtEnd else {
            let path = codingPath + [TapeKey(intValue: currentIndex)]
            throw DecodingError.valueNotFound(
                type, .init(codingPath: path, debugDescription: "Unkeyed container is at end."))
        }
        return TapeDecoder(tape: tape, index: next)
    }

    private mutating func pass() {
        next = tape.index(after: next)
        currentIndex += 1
    }

    mutating func decodeNil() throws -> Bool {
        let isNull = try item(Never.self).decodeNil()
        if isNull { pass() }
        return isNull
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let value = try item(type).value(type)
        pass()
        return value
    }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        let container = try item(KeyedDecodingContainer<Key>.self).container(keyedBy: type)
        pass()
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try item((any UnkeyedDecodingContainer).self).unkeyedContainer()
        pass()
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = try item((any Decoder).self)
        pass()
        return decoder
    }
}
