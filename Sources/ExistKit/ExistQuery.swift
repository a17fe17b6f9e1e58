import Foundation
import PledgeCoding
import PledgeHTTP

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A query for one page of a list in Exist. It can derive the query for the next page.
///
/// ```swift
/// existAPI.all(.owned()).done { attributes, _ in … }
/// for try await page in existAPI.pages(.values(of: "weight")) { … }
/// ```
public struct ExistQuery<Item: Decodable & Sendable>: PagedRequest {
    // The static functions that create queries are in extensions without a constraint on `Item`. Each function states
    // the type of its items in its result, such as `ExistQuery<Attribute>`. With a constraint on `Item`, code
    // completion after `existAPI.all(.` would not offer these functions.

    /// The maximum number of items per page, from 1 to 100.
    public let limit: Int
    /// The number of the page, starting at 1.
    public let page: Int
    var path: String
    private let filters: QueryItems
    /// The progress of the list before this page.
    private let progress: PageProgress
    /// Returns a key that identifies an item. An item may move to the next page between two requests. The service then
    /// sends the item twice, and both copies have the same key.
    package let identity: @Sendable (Item) -> HashKey

    init(
        _ path: String, _ filters: QueryItems = [:], limit: Int?, page: Int, after progress: PageProgress? = nil,
        identity: @escaping @Sendable (Item) -> HashKey
    ) {
        self.path = path
        self.limit = min(max(limit ?? 100, 1), 100)
        self.page = max(page, 1)
        self.filters = filters
        self.progress = progress ?? PageProgress(isFromStart: page <= 1)
        self.identity = identity
    }

    /// Returns the query for the next page, or nil if the given page has no link in ``ExistPage/next``. Only this link
    /// decides whether a page follows, and not the number of items.
    ///
    /// The query contains the next page number. It never uses the link itself, which may lead to another host or to
    /// plain `http`.
    public func page(after page: ExistPage<Item>) -> ExistQuery? {
        guard page.next != nil, self.page < .max else { return nil }
        return ExistQuery(
            path, filters, limit: limit, page: self.page + 1, after: progress(with: page), identity: identity)
    }

    private func progress(with page: ExistPage<Item>) -> PageProgress {
        progress.adding(page.results.map(identity), undecoded: page.unreadable.undecoded, of: page.totalCount)
    }

    /// Returns the query for the page after a decoded page, or nil if that page was the last.
    ///
    /// If the page contains the same items as the previous page, this function returns this query instead of the next
    /// one. A sequence of pages then ends with ``RepeatedPages``.
    public func page(after page: Decoded<ExistPage<Item>>) -> ExistQuery? {
        guard let following = self.page(after: page.value) else { return nil }
        // If the service ignores the page number, this query is returned. A sequence never sends the same request
        // twice, so it then ends with an error.
        return following.progress.repeatsPage ? self : following
    }

    /// Returns the items that were not seen before, and adds them to the set of seen items.
    package func unseen(_ items: [Item], _ seen: inout Set<HashKey>) -> [Item] {
        items.filter { seen.insert(identity($0)).inserted }
    }

    public func itemCount(of page: ExistPage<Item>) -> Int { page.results.count + page.unreadable.undecoded }

    /// The endpoint of this page: `GET <path>`.
    ///
    /// If the list ends with fewer items than the service announced, ``ExistPage/unreadable`` of the last page says so.
    public var endpoint: Endpoint<ExistPage<Item>> {
        var query = filters
        query.add("page", page)
        query.add("limit", limit)
        return Endpoint(.get, path, query: query) { response, coding in
            var page: ExistPage<Item> = try response.json(by: coding)
            if page.next == nil, let missing = progress(with: page).missing { page.unreadable.append(missing) }
            return page
        }
    }
}

/// A page of a list, together with the number of items on all pages.
public struct ExistPage<Item: Decodable & Sendable>: Sendable {
    /// The number of items on all pages; nil if the service does not report it.
    public var totalCount: Int?
    /// The service's link to the next page; nil on the last page.
    ///
    /// Don't send a request to this link: it may lead to a host or scheme that must not see the token. Request the next
    /// page by its number instead, as ``ExistQuery`` does.
    public var next: String?
    /// The service's link to the previous page; nil on the first page.
    public var previous: String?
    /// The items of this page, in the service's order.
    public var results: [Item]
    /// The items of this page that could not be decoded. If the service sent fewer items than it announced, the last
    /// page also has an entry that reports the missing items.
    public var unreadable: [UnreadableItem]

    /// Creates a page for use in tests.
    public init(
        totalCount: Int?, next: String? = nil, previous: String? = nil, results: [Item],
        unreadable: [UnreadableItem] = []
    ) {
        self.totalCount = totalCount
        self.next = next
        self.previous = previous
        self.results = results
        self.unreadable = unreadable
    }
}

// A page is a sequence, but not a collection. As a collection, it would have a `count` of its own items, whereas
// `count` in Exist's response is the number of items on all pages.
extension ExistPage: Sequence {
    public func makeIterator() -> IndexingIterator<[Item]> { results.makeIterator() }

    /// The first item of this page, or nil if the page has no items.
    public var first: Item? { results.first }

    /// Whether this page has no decoded items.
    public var isEmpty: Bool { results.isEmpty }

    /// Accesses the item at an index of this page.
    public subscript(index: Int) -> Item { results[index] }
}

extension ExistPage: Readable {
    /// Decodes the fields of the page first, and then the items one by one.
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        totalCount = fields.int("count")
        // An empty link means that there is no next page. A link that can't be decoded is an error, because ignoring it
        // would end the list too early.
        next = try fields.present("next")?.nonEmptyText()
        previous = fields.nonEmptyText("previous")
        let list = try fields.required("results").items(of: Item.self)
        results = list.items
        unreadable = list.unreadable
    }
}

extension ExistPage: Encodable where Item: Encodable {
    private enum CodingKeys: String, CodingKey {
        case next, previous, results
        case totalCount = "count"
    }
}
