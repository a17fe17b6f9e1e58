import Foundation

/// A model that reads itself from a tape. If it is decoded by any other decoder, a tape is first created from that
/// decoder's value.
@usableFromInline package protocol Readable: Decodable, Sendable {
    init(reading source: TapeValue) throws(TapeFailure)

    // This method is a requirement of the protocol, so that it is compiled in the module of the model. There, the
    // compiler can specialize it for the model.
    static func items(of list: TapeValue) throws(TapeFailure) -> ItemList<Self>
}

extension Readable {
    @inlinable package static func items(of list: TapeValue) throws(TapeFailure) -> ItemList<Self> {
        var result = ItemList<Self>(capacity: list.count)
        try list.forEach { (index, item) throws(TapeFailure) in
            do throws(TapeFailure) {
                result.items.append(try Self(reading: item))
                if let remark = list.takeRemark() { result.unreadable.add(index, remarking: remark) }
            } catch {
                // An item that is left out has no remark.
                list.takeRemark()
                try list.record(index, in: &result.unreadable) { item.reason(error) }
            }
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
        self = try tape.withValue(below: decoder.codingPath) { (value) throws(TapeFailure) in try Self(reading: value) }
    }
}
