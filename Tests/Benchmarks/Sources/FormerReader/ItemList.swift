import Foundation

struct ItemList<Item: Decodable & Sendable>: Decodable, Sendable {
    var items: [Item] = []
    var unreadable: [UnreadableItem] = []

    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        items.reserveCapacity(container.count ?? 0)
        while !container.isAtEnd {
            let index = container.currentIndex
            do {
                items.append(try container.decode(Item.self))
            } catch {
                unreadable.append(UnreadableItem(index: index, error))
                // Whether a failed decode moves on depends on the version of Foundation.
                if container.currentIndex == index { _ = try container.decode(Anything.self) }
            }
        }
    }

    private struct Anything: Decodable {
        init(from decoder: any Decoder) throws {}
    }
}
