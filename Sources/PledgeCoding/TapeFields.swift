import Foundation

/// The members of an object by name, each of which is requested once: fastest in the order of the JSON, because the
/// name after the value found last is tried first.
@usableFromInline package struct TapeFields {
    @usableFromInline let object: TapeValue
    /// The index of the name after the last value that was found.
    @usableFromInline var next: Int
    /// Whether a name may have been skipped. The next one may then be a duplicate of it, and the first value counts.
    @usableFromInline var hasPassed = false

    @inlinable init(_ object: TapeValue) {
        self.object = object
        next = object.index + 1
    }

    /// Returns the value for a name, including null. If the name occurs more than once, the first value counts.
    @inline(__always) @inlinable
    package mutating func value(_ name: StaticString) -> TapeValue? {
        let (memory, name) = (object.memory, TextBytes(name))
        let wanted = TapeToken.word(.text, length: name.count)
        // The last member is followed by another token, or by the null at the end of the tape.
        let token = memory.token(next)
        guard !hasPassed, token.word == wanted, next < Int(object.token.position),
            memory.isSame(Int(token.position), as: name)
        else {
            return search(name)
        }
        let value = TapeValue(object.reading, next + 1)
        next = memory.next(after: next + 1)
        return value
    }

    @usableFromInline mutating func search(_ name: TextBytes) -> TapeValue? {
        guard let found = object.memory.value(named: name, in: object.index) else { return nil }
        hasPassed = true
        return TapeValue(object.reading, found)
    }

    /// Returns the value for a name if it is present and not null.
    @inline(__always) @inlinable
    package mutating func present(_ name: StaticString) -> TapeValue? {
        guard let value = value(name), !value.isNull else { return nil }
        return value
    }

    @inline(__always) @inlinable
    package mutating func required(_ name: StaticString) throws(TapeFailure) -> TapeValue {
        guard let value = value(name) else { throw missing(name) }
        return value
    }

    /// Returns the error for a missing name.
    @usableFromInline package func missing(_ name: StaticString) -> TapeFailure { object.failure(.missing(name)) }

    /// Calls the closure with each member. If a name occurs more than once, only the first counts.
    @usableFromInline
    package func forEach(_ body: (String, TapeValue) throws(TapeFailure) -> Void) throws(TapeFailure) {
        let count = object.count
        let memory = object.memory
        let tape = object.reading.tape
        var known: Set<ExactText> = []
        var key = object.index + 1
        for _ in 0..<count {
            let name = try TapeValue(object.reading, key).text()
            // Usually there are so few members that it is quicker to search for the first one of this name.
            let isFirst =
                count > 8
                ? known.insert(ExactText(name)).inserted : tape.value(named: name, in: object.index) == key + 1
            if isFirst { try body(streamSafe(name), TapeValue(object.reading, key + 1)) }
            key = memory.next(after: key + 1)
        }
    }
}

// These return nil if the value is missing or null, and accept text for a number and a number for text.
extension TapeFields {
    @inline(__always) @inlinable
    package mutating func text(_ name: StaticString) throws(TapeFailure) -> String? {
        try present(name)?.lenientText()
    }

    @inline(__always) @inlinable
    package mutating func int(_ name: StaticString) throws(TapeFailure) -> Int? { try present(name)?.lenientInt() }

    @inline(__always) @inlinable
    package mutating func double(_ name: StaticString) throws(TapeFailure) -> Double? {
        try present(name)?.lenientDouble()
    }

    @inline(__always) @inlinable
    package mutating func read<Model: Readable>(_ type: Model.Type, _ name: StaticString) throws(TapeFailure) -> Model?
    {
        guard let value = present(name) else { return nil }
        return try Model(reading: value)
    }

    /// Reads an optional value. If it is not of the expected form, it counts as missing, and is recorded.
    @inlinable
    package mutating func optional<Result>(
        _ name: StaticString, _ read: (TapeValue) throws(TapeFailure) -> Result
    ) -> Result? {
        guard let value = present(name) else { return nil }
        do throws(TapeFailure) {
            return try read(value)
        } catch {
            value.reading.record(error)
            return nil
        }
    }

    /// Reads an optional Boolean value, which some responses encode as text or as a number; nil for `""`, too.
    @inlinable
    package mutating func flag(_ name: StaticString) -> Bool? {
        let flag = optional(name) { (value) throws(TapeFailure) -> Bool? in
            if case .text = value.kind, try value.text().isEmpty { return nil }
            return try value.lenientBool()
        }
        return flag ?? nil
    }

    /// Reads a token's lifetime in seconds, which may be text: nil if there is none, `otherwise` if it is unreadable.
    package mutating func lifetime(_ name: StaticString, otherwise: Double) -> Double? {
        guard let value = present(name) else { return nil }
        return (try? value.lenientDouble()) ?? otherwise
    }

    /// Reads an optional list: a missing one is empty, and items that cannot be read are left out.
    @inline(__always) @inlinable
    package mutating func lenientList<Item>(
        _ name: StaticString, _ read: (TapeValue) throws(TapeFailure) -> Item
    ) -> [Item] {
        var items: [Item] = []
        guard let list = present(name) else { return items }
        // One allocation instead of one for each power of two: 3 % of a page of correlations.
        if list.kind == .list { items.reserveCapacity(list.count) }
        try? list.forEach { (_, item) throws(TapeFailure) in
            if let item = try? read(item) { items.append(item) }
        }
        return items
    }
}

/// A model that is read from a tape, and from any other decoder by way of one.
@usableFromInline package protocol Readable: Decodable, Sendable {
    init(reading source: TapeValue) throws(TapeFailure)

    // Compiled in the model's module, and therefore specialized.
    static func items(of list: TapeValue) throws(TapeFailure) -> ItemList<Self>
}

extension Readable {
    @inlinable package static func items(of list: TapeValue) throws(TapeFailure) -> ItemList<Self> {
        var result = ItemList<Self>(capacity: list.count)
        try list.forEach { (index, item) throws(TapeFailure) in
            do throws(TapeFailure) {
                result.items.append(try Self(reading: item))
            } catch {
                try list.record(index, in: &result.unreadable) { item.reason(error) }
            }
            if let remark = list.takeRemark() { result.unreadable.add(index, remarking: remark) }
        }
        return result
    }

    /// Creates a value by decoding it from the given decoder.
    public init(from decoder: any Decoder) throws {
        if let tape = decoder as? TapeDecoder {
            self = try tape.read(Self.self)
            return
        }
        let json = try DecodedJSON(from: decoder).text
        guard let tape = try? JSONTape(Data(json.utf8)) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "it is too large or nested too deeply"))
        }
        self = try tape.withRoot(below: decoder.codingPath) { (value) throws(TapeFailure) in try Self(reading: value) }
    }
}
