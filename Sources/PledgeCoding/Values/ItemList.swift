/// A list that is decoded item by item: an item that cannot be read does not affect the others.
@usableFromInline package struct ItemList<Item: Sendable>: Sendable {
    @usableFromInline package var items: [Item] = []
    @usableFromInline package var unreadable: [UnreadableItem] = []

    /// - Parameter capacity: The number of items according to the service.
    @usableFromInline package init(capacity: Int) { items.reserveCapacity(Swift.min(capacity, 10_000)) }
}

extension ItemList: Decodable where Item: Decodable {}

extension ItemList: Readable where Item: Decodable {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        self = try source.items(of: Item.self)
    }
}
