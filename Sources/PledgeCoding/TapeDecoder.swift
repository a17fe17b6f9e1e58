import Foundation

/// Decodes `Decodable` values from a tape. Each value gets a decoder of its own, which costs nothing, because a decoder
/// consists of only two words.
package struct TapeDecoder: Decoder {
    let tape: JSONTape
    let index: Int

    package var codingPath: [any CodingKey] { tape.path(to: index) }
    package var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Decodes the outermost value of a tape. Throws a `DecodingError`, or any other error that the type's own
    /// initializer throws.
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

    /// Reads a value of any `Decodable` type. `URL`, `Data`, and `Decimal` are treated specially, as in Foundation's
    /// decoder.
    func read<Value: Decodable>(_ type: Value.Type) throws -> Value {
        // An empty text is rejected here, because Foundation of Swift 6.0 would create a URL from it.
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
        return try type.init(from: self)
    }

    /// Parses a date with a time, or a date alone. A date alone becomes the first moment of that day in UTC.
    private static func date(_ text: String) -> Date? {
        Timestamp.parse(text)?.date
            ?? DayNumber.parse(text).map { Date(timeIntervalSince1970: Double($0) * 86_400) }
    }

    /// Reads a value whose type conforms to `Readable`, and so reads itself from the tape.
    func read<Value: Readable>(_ type: Value.Type) throws -> Value {
        try tape.withValue(at: index) { (value) throws(TapeFailure) in try Value(reading: value) }
    }

    private func text<Value>(_ sentence: StaticString, _ parse: (String) -> Value?) throws -> Value {
        guard let value = parse(try read(String.self)) else { throw error(.corrupt(sentence)) }
        return value
    }
}

extension TapeDecoder: SingleValueDecodingContainer {
    package func decodeNil() -> Bool { kind == .null }
    // The protocol requires a method for each scalar type, such as `Bool` and `Int`. The first of these two methods
    // implements all of them.
    package func decode<Value: TapeScalar>(_ type: Value.Type) throws -> Value { try read(type) }
    package func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try read(type) }
}

/// Decodes the members of an object by name.
struct TapeObject<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let decoder: TapeDecoder
    /// The index of each value by the value's name; nil for an object with at most 32 members. In a larger object, a
    /// search for each key would take too long.
    private let indices: [ExactText: Int]?
    /// The index of each value by the folded form of the value's name. Nil for a small object, or if the tape is not in
    /// snake case.
    private let foldedIndices: [ExactText: Int]?

    init(_ decoder: TapeDecoder) {
        self.decoder = decoder
        let tape = decoder.tape
        let index = decoder.index
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
        decoder.tape.members(of: decoder.index).compactMap { name, value in
            // If several members have the same key, only the one that is decoded counts. If each of them counted, it
            // would be decoded as many times, and members within it even more often.
            guard let key = key(named: name), find(key)?.index == value else { return nil }
            return key
        }
    }

    private func key(named name: String) -> Key? {
        if let key = Key(stringValue: name) { return key }
        guard decoder.tape.style == .snakeCase else { return nil }
        return SnakeCase.members(named: name).lazy.compactMap { Key(stringValue: $0) }.first
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
            let words = tape.message(forMissing: name, in: decoder.index)
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

    // These methods look up the name once; the protocol's default implementations do so three times. Each of the usual
    // types needs a method of its own, because a generic method does not replace the default implementation for a
    // specific type.
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

/// Decodes the values of an array one by one. If a value cannot be decoded, the container does not move on to the next
/// one.
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

extension JSONTape {
    /// The array or object that directly contains a value, and the value's position in it, counted from 0.
    struct Container {
        var index: Int32
        var ordinal: Int32
    }

    /// The containers of all values. They are determined together, the first time that a path is needed.
    private var allContainers: [Container] {
        lock.withLock {
            let found = containers ?? findContainers()
            containers = found
            return found
        }
    }

    private func findContainers() -> [Container] {
        var containers = [Container](repeating: Container(index: -1, ordinal: 0), count: count)
        for container in 0..<count where memory.token(container).isContainer {
            let token = memory.token(container)
            let step = token.kind == .object ? 1 : 0
            var index = container + 1
            for ordinal in 0..<token.length {
                containers[index + step] = Container(index: Int32(container), ordinal: Int32(ordinal))
                index = memory.next(after: index + step)
            }
        }
        return containers
    }

    /// Returns the path from the outermost value to the value at an index.
    func path(to index: Int) -> [any CodingKey] { path(to: index, most: .max) }

    /// Returns a path for an error. The path has at most the last eight keys. If the value is nested more deeply, the
    /// path begins with a single key that represents all earlier keys. It finds these keys only when its text is read.
    ///
    /// The reason is that code may try one type after another, and discard the errors without reading them. For a
    /// deeply nested value, finding the whole path for each of these errors would take too long.
    func shortPath(to index: Int) -> [any CodingKey] { path(to: index, most: 8) }

    private func path(to index: Int, most: Int) -> [any CodingKey] {
        var path: [any CodingKey] = []
        // Code that tries one type after another creates many such paths, so the array is allocated only once.
        path.reserveCapacity(min(most, 8) + 1)
        append(upTo: index, of: allContainers, most: most, to: &path)
        return path
    }

    /// Appends at most `most` keys to a path, from the outermost value to the value at an index. The recursion ends,
    /// because the scanner limits how deep values may be nested.
    private func append(
        upTo index: Int, of containers: [Container], most: Int, to path: inout [any CodingKey]
    ) {
        let container = containers[index]
        guard container.index >= 0 else { return }
        guard most > 0 else { return path.append(TapeKey.above(self, index)) }
        append(upTo: Int(container.index), of: containers, most: most - 1, to: &path)
        let isMember = kind(at: Int(container.index)) == .object
        path.append(isMember ? TapeKey.member(self, index - 1) : TapeKey.index(Int(container.ordinal)))
    }
}

/// A key on the path to a value. A key of the cases `member` and `above` finds its text only when the text is read.
package enum TapeKey: CodingKey {
    case name(String)
    case index(Int)
    /// A name that is stored in a tape.
    case member(JSONTape, Int)
    /// All keys on the path to a value of a tape, represented by a single key.
    case above(JSONTape, Int)

    package var stringValue: String {
        switch self {
        case .name(let name): name
        case .index(let index): "Index \(index)"
        case .member(let tape, let index): tape.text(at: index)
        case .above(let tape, let index): tape.path(to: index).map(\.stringValue).joined(separator: ".")
        }
    }

    package var intValue: Int? {
        if case .index(let index) = self { index } else { nil }
    }

    package init?(stringValue: String) { self = .name(stringValue) }
    package init?(intValue: Int) { self = .index(intValue) }
}

extension DecodingError {
    /// The error with its complete path. This is the error that a caller of the decoder gets.
    var withWholePath: DecodingError {
        func whole(_ context: Context) -> Context {
            guard case .above(let tape, let index)? = context.codingPath.first as? TapeKey else { return context }
            return Context(
                codingPath: tape.path(to: index) + context.codingPath.dropFirst(),
                debugDescription: context.debugDescription, underlyingError: context.underlyingError)
        }
        switch self {
        case .typeMismatch(let type, let context): return .typeMismatch(type, whole(context))
        case .valueNotFound(let type, let context): return .valueNotFound(type, whole(context))
        case .keyNotFound(let key, let context): return .keyNotFound(key, whole(context))
        case .dataCorrupted(let context): return .dataCorrupted(whole(context))
        @unknown default: return self
        }
    }
}

/// The reason why a value could not be read: the value's index on the tape, and what is wrong with the value. The path
/// and the message are created only on demand, because most failures are never shown.
@usableFromInline package struct TapeFailure: Error {
    @usableFromInline package enum Clause: @unchecked Sendable {
        // The associated values are types and static strings. Neither can change, so they are safe to share.

        /// The value is not of this type.
        case mismatch(any Any.Type)
        /// A member with this name is missing.
        case missing(StaticString)
        /// The value is a number that this type cannot represent.
        case unfit(any Any.Type)
        /// The value does not have the expected form. The text is the message for the error.
        case corrupt(StaticString)
    }

    let index: Int
    let clause: Clause

    @usableFromInline init(_ index: Int, _ clause: Clause) {
        self.index = index
        self.clause = clause
    }
}

extension JSONTape {
    func error(_ failure: TapeFailure, at path: [any CodingKey]) -> DecodingError {
        func context(_ sentence: String) -> DecodingError.Context {
            .init(codingPath: path, debugDescription: sentence)
        }
        switch failure.clause {
        case .mismatch(let type):
            let kind = kind(at: failure.index)
            // The message names the kind of the value and not the value itself, which may be private.
            let context = context("it is \(kind.text) instead of \(type)")
            return kind == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
        case .missing(let name):
            let words = message(forMissing: name.description, in: failure.index)
            return .keyNotFound(TapeKey.name(name.description), context(words))
        case .unfit(let type): return .dataCorrupted(context("it is a number that \(type) cannot hold"))
        case .corrupt(let sentence): return .dataCorrupted(context(sentence.description))
        }
    }
}

extension TapeToken.Kind {
    fileprivate var text: String {
        switch self {
        case .null: "null"
        case .bool: "a truth value"
        case .number: "a number"
        case .text: "text"
        case .list: "a list"
        case .object: "an object"
        }
    }
}
