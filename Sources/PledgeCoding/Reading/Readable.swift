import Foundation

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
