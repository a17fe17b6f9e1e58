import Foundation

struct ExistPage<Item: Decodable & Sendable>: Decodable, Sendable {
    var count: Int
    var next: String?
    var previous: String?
    var results: [Item]
    var unreadable: [UnreadableItem]
    init(
        count: Int, next: String? = nil, previous: String? = nil, results: [Item], unreadable: [UnreadableItem] = []
    ) {
        self.count = count
        self.next = next
        self.previous = previous
        self.results = results
        self.unreadable = unreadable
    }

    private enum CodingKeys: String, CodingKey {
        case count, next, previous, results
    }
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let list = try container.decode(ItemList<Item>.self, forKey: .results)
        count = try container.decodeIfPresent(Int.self, forKey: .count) ?? list.items.count
        next = try container.decodeIfPresent(String.self, forKey: .next)
        previous = try container.decodeIfPresent(String.self, forKey: .previous)
        results = list.items
        unreadable = list.unreadable
    }
}

// Not a collection: a collection's count is the number of its own items, and Exist's is that of all pages.
extension ExistPage: Sequence {
    func makeIterator() -> IndexingIterator<[Item]> { results.makeIterator() }
    subscript(index: Int) -> Item { results[index] }
}
