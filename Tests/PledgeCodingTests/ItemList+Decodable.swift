import PledgeCoding

// The package decodes a list only as part of a response. With these conformances, a test can decode one alone, and also by
// Foundation's decoder.
extension ItemList: Decodable where Item: Decodable {}

extension ItemList: Readable where Item: Decodable {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        self = try source.items(of: Item.self)
    }
}
