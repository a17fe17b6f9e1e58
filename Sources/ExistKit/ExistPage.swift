import Foundation
import PledgeCoding

/// One page of a list.
public struct ExistPage<Item: Decodable & Sendable>: Sendable {
    /// How many items there are on all pages.
    public var count: Int
    /// The service's link to the next page; nil on the last. Do not follow it: the service leaves filters out of it.
    public var next: String?
    /// The service's link to the page before.
    public var previous: String?
    /// The items of the page, in the service's order.
    public var results: [Item]
    /// Items of this page that could not be read.
    public var unreadable: [UnreadableItem]

    /// Makes a page by hand, for tests.
    public init(
        count: Int, next: String? = nil, previous: String? = nil, results: [Item], unreadable: [UnreadableItem] = []
    ) {
        self.count = count
        self.next = next
        self.previous = previous
        self.results = results
        self.unreadable = unreadable
    }
}

// Not a collection: a collection's count is the number of its own items, and Exist's is that of all pages.
extension ExistPage: Sequence {
    /// Goes over the items of this page.
    public func makeIterator() -> IndexingIterator<[Item]> { results.makeIterator() }

    /// How many items there are on all pages: ``count``, where that could be taken for those of this page.
    public var totalCount: Int { count }

    /// The first item of this page; nil where it is empty.
    public var first: Item? { results.first }

    /// Whether this page has no items that could be read.
    public var isEmpty: Bool { results.isEmpty }

    /// The places of this page's items.
    public var indices: Range<Int> { results.indices }

    /// An item of this page.
    public subscript(index: Int) -> Item { results[index] }
}

extension ExistPage: Readable {
    /// The envelope, and the items one by one.
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        var fields = try source.fields()
        let total = try fields.int("count")
        next = try fields.text("next")
        previous = try fields.text("previous")
        let list = try fields.required("results").items(of: Item.self)
        count = total ?? list.items.count
        (results, unreadable) = (list.items, list.unreadable)
    }
}
