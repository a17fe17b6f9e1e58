/// Decodes the members of an object by name.
struct TapeObject<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let decoder: TapeDecoder
    /// The index of each value by name, for objects so large that a search for each key would take too long.
    private let indices: [ExactText: Int]?
    /// The same by the names' folded forms, for a tape in snake case.
    private let foldedIndices: [ExactText: Int]?

    init(_ decoder: TapeDecoder) {
        self.decoder = decoder
        let (tape, index) = (decoder.tape, decoder.index)
        let isLarge = tape.memory.token(index).length > 32
        func indices(_ name: (String) -> String) -> [ExactText: Int] {
            Dictionary(
                tape.members(of: index).map { (ExactText(name($0.name)), $0.value) },
                uniquingKeysWith: { first, _ in first })
        }
        self.indices = isLarge ? indices { $0 } : nil
        foldedIndices = isLarge && tape.style == .snakeCase ? indices(SnakeCase.folded) : nil
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var allKeys: [Key] {
        decoder.tape.members(of: decoder.index).compactMap { name, _ in
            if let key = Key(stringValue: name) { return key }
            guard decoder.tape.style == .snakeCase else { return nil }
            return SnakeCase.members(named: name).lazy.compactMap { Key(stringValue: $0) }.first
        }
    }

    private func find(_ key: Key) -> TapeDecoder? {
        let name = key.stringValue
        var found = index(of: name)
        if found == nil, decoder.tape.style == .snakeCase {
            found = index(of: SnakeCase.name(of: name)) ?? foldedIndex(SnakeCase.folded(name))
        }
        return found.map { TapeDecoder(tape: decoder.tape, index: $0) }
    }

    private func index(of name: String) -> Int? {
        indices.map { $0[ExactText(name)] } ?? decoder.tape.value(named: name, in: decoder.index)
    }

    private func foldedIndex(_ name: String) -> Int? {
        foldedIndices.map { $0[ExactText(name)] }
            ?? decoder.tape.members(of: decoder.index).first { SnakeCase.folded($0.name) == name }?.value
    }

    private func value(_ key: Key) throws -> TapeDecoder {
        guard let found = find(key) else {
            let tape = decoder.tape
            let name = tape.style == .snakeCase ? SnakeCase.name(of: key.stringValue) : key.stringValue
            let words = tape.words(forMissing: name, in: decoder.index)
            throw DecodingError.keyNotFound(
                key, .init(codingPath: tape.shortPath(to: decoder.index), debugDescription: words))
        }
        return found
    }

    /// Returns the value for a key if it is neither missing nor null.
    private func present(_ key: Key) -> TapeDecoder? { find(key).flatMap { $0.decodeNil() ? nil : $0 } }

    func contains(_ key: Key) -> Bool { find(key) != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try value(key).decodeNil() }

    func decode<Value: TapeScalar>(_ type: Value.Type, forKey key: Key) throws -> Value { try value(key).read(type) }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try value(key).read(type) }

    // For the usual types, these look up the name once instead of three times. A generic method would not take the
    // place of the protocol's own.
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try present(key)?.read(type) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try present(key)?.read(type) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try present(key)?.read(type) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try present(key)?.read(type) }
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try present(key)?.read(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try value(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try value(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        let index = decoder.tape.value(named: "super", in: decoder.index)
        return TapeDecoder(tape: decoder.tape, index: index ?? decoder.tape.nowhere)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        find(key) ?? TapeDecoder(tape: decoder.tape, index: decoder.tape.nowhere)
    }
}
