/// A list that is read item by item: one that cannot be read costs the others nothing.
@usableFromInline package struct ItemList<Item: Sendable>: Sendable {
    @usableFromInline package var items: [Item] = []
    @usableFromInline package var unreadable: [UnreadableItem] = []

    /// - Parameter capacity: how many items the service claims there are.
    @usableFromInline package init(capacity: Int) { items.reserveCapacity(Swift.min(capacity, 10_000)) }
}

extension ItemList: Decodable where Item: Decodable {}

extension ItemList: Readable where Item: Decodable {
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        self = try source.items(of: Item.self)
    }
}
