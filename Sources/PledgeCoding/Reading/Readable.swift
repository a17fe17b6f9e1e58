/// A model with a single reader for all sources.
@usableFromInline package protocol Readable: Decodable, Sendable {
    init<Source>(reading source: Source) throws(Source.Failure) where Source: ValueSource

    // Compiled in the model's module, and therefore specialized for tapes.
    static func read(tape value: TapeValue) throws(TapeFailure) -> Self
    static func items(tape list: TapeValue) throws(TapeFailure) -> ItemList<Self>
}

extension Readable {
    // Not an initializer: one that delegates to another copies its result.
    @inlinable package static func read(tape value: TapeValue) throws(TapeFailure) -> Self { try Self(reading: value) }

    @inlinable package static func items(tape list: TapeValue) throws(TapeFailure) -> ItemList<Self> {
        var result = ItemList<Self>(capacity: list.count)
        try list.forEach { (index, item) throws(TapeFailure) in
            do throws(TapeFailure) {
                result.items.append(try Self.read(tape: item))
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
        } else {
            try self.init(reading: CodableValue(decoder))
        }
    }
}
