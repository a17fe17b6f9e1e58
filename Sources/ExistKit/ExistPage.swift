import Foundation
import PledgeCoding

/// A page of a list, together with the number of all items.
public struct ExistPage<Item: Decodable & Sendable>: Sendable {
    /// The number of items on all pages.
    public var totalCount: Int
    /// The service's link to the next page; nil on the last. Request the next page number instead: a link may lead to a
    /// host or scheme that must not see the token.
    public var next: String?
    /// The service's link to the previous page; nil on the first.
    public var previous: String?
    /// The items of this page, in the service's order.
    public var results: [Item]
    /// The items of this page that could not be decoded. On the last page, also that fewer items came than announced.
    public var unreadable: [UnreadableItem]
    /// The number of items on all pages, if the service reports it.
    var announced: Int?

    /// Creates a page for use in tests.
    public init(
        totalCount: Int, next: String? = nil, previous: String? = nil, results: [Item],
        unreadable: [UnreadableItem] = []
    ) {
        self.totalCount = totalCount
        announced = totalCount
        self.next = next
        self.previous = previous
        self.results = results
        self.unreadable = unreadable
    }
}

// Not a collection, because its count would be the number of its own items, while Exist's is that of all pages.
extension ExistPage: Sequence {
    public func makeIterator() -> IndexingIterator<[Item]> { results.makeIterator() }

    /// The first item of this page, or nil if there are none.
    public var first: Item? { results.first }

    /// Whether this page has no decoded items.
    public var isEmpty: Bool { results.isEmpty }

    /// Accesses the item at an index of this page.
    public subscript(index: Int) -> Item { results[index] }
}

extension ExistPage: Readable {
    /// Decodes the envelope, and then the items one by one.
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        // With `try?`, here and in models, a field of a wrong type becomes nil, which keeps the page and the item.
        let total = try? fields.int("count")
        // An empty link means that there is none.
        next = try fields.present("next")?.text()
        if next?.isEmpty == true { next = nil }
        previous = (try? fields.present("previous")?.text()).flatMap { $0.isEmpty ? nil : $0 }
        let list = try fields.required("results").items(of: Item.self)
        (totalCount, announced) = (total ?? list.items.count, total)
        (results, unreadable) = (list.items, list.unreadable)
    }
}

extension ExistPage: Encodable where Item: Encodable {
    private enum CodingKeys: String, CodingKey {
        case next, previous, results
        case totalCount = "count"
    }
}
