/// A list that is read item by item: one that cannot be read costs the others nothing.
@usableFromInline package struct ItemList<Item: Sendable>: Sendable {
    @usableFromInline package var items: [Item] = []
    @usableFromInline package var unreadable: [UnreadableItem] = []

    @usableFromInline package init(capacity: Int) { items.reserveCapacity(capacity) }
}

extension ItemList: Decodable where Item: Decodable {}

extension ItemList: Readable where Item: Decodable {
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        self = try source.items(of: Item.self)
    }
}
