import Foundation
import PledgeModels

/// One page of a list.
public struct ExistPage<Item: Decodable & Sendable>: Decodable, Sendable {
    /// How many items there are on all pages.
    public var count: Int
    /// The service's link to the next page; nil on the last. Do not follow it: the service leaves filters out of it.
    public var next: String?
    /// The service's link to the page before.
    public var previous: String?
    /// The items.
    public var results: [Item]
    /// Items of this page that could not be read.
    public var unreadable: [UnreadableItem]

    /// A page, as for tests.
    public init(
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

    /// Reads the envelope, and the items one by one.
    public init(from decoder: any Decoder) throws {
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
    /// Goes over the items of this page.
    public func makeIterator() -> IndexingIterator<[Item]> { results.makeIterator() }

    /// An item of this page.
    public subscript(index: Int) -> Item { results[index] }
}
