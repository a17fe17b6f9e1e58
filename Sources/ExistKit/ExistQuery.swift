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
    /// The progress of the list before this page; nil if the first pages were skipped.
    private let progress: PageProgress?
    /// Returns a key that identifies an item. An item may move to the next page between two requests. The service then
    /// sends the item twice, and both copies have the same key.
    package let identity: @Sendable (Item) -> HashKey
    /// The keys that identify the items on the previous page. If this page turns out to have the same items, the
    /// service must have ignored the page number.
    private var itemsBefore: [HashKey] = []

    init(
        _ path: String, _ filters: QueryItems = [:], limit: Int?, page: Int, after progress: PageProgress? = nil,
        identity: @escaping @Sendable (Item) -> HashKey
    ) {
        self.path = path
        self.limit = min(max(limit ?? 100, 1), 100)
        self.page = max(page, 1)
        self.filters = filters
        self.progress = progress ?? (page > 1 ? nil : PageProgress())
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

    private func progress(with page: ExistPage<Item>) -> PageProgress? {
        progress?.adding(itemCount(of: page), of: page.totalCount)
    }

    /// Returns the query for the page after a decoded page, or nil if that page was the last.
    ///
    /// If the page contains the same items as the previous page, this function returns this query instead of the next
    /// one. A sequence of pages then ends with ``RepeatedPages``.
    public func page(after page: Decoded<ExistPage<Item>>) -> ExistQuery? {
        guard var following = self.page(after: page.value) else { return nil }
        let items = page.value.results.map(identity)
        // The service ignores the page number. A sequence never sends the same request twice, so returning this query
        // ends the sequence with an error.
        if !items.isEmpty, items == itemsBefore { return self }
        following.itemsBefore = items
        return following
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
            if page.next == nil, let missing = progress(with: page)?.missing { page.unreadable.append(missing) }
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

extension ExistAPI {
    /// Fetches one page of a list; see ``ExistQuery``.
    public func page<Item>(_ query: ExistQuery<Item>) -> Promise<PageOutput<Item>> {
        send(query.endpoint).map(on: nil) { (page: $0.value, response: $0.response.urlResponse) }
    }

    /// Fetches all items of a list, page by page, beginning with the query's page.
    ///
    /// If the list changes while it is read, the service may send an item twice; the result contains it once. If the
    /// service sends fewer items than it announced, the client reports the missing items to `onUnreadable` of its
    /// options.
    public func all<Item>(_ query: ExistQuery<Item>) -> Promise<ItemsOutput<Item>> {
        walk(query).map(on: nil) { (items: $0.value.results, response: $0.response.urlResponse) }
    }

    /// Returns a sequence of a list's pages. Each page is requested only when it is needed.
    ///
    /// ```swift
    /// for try await page in existAPI.pages(.values(of: "weight")) { … }
    /// ```
    public func pages<Item>(_ query: ExistQuery<Item>) -> PageSequence<ExistQuery<Item>> {
        pages(query, charging: nil)
    }

    /// Fetches all pages, and merges them into one page without duplicate items.
    ///
    /// - Parameter meter: The meter of the call, if the call sends other requests as well; nil to use a new meter.
    package func walk<Item>(
        _ query: ExistQuery<Item>, charging meter: BudgetMeter? = nil
    ) -> Promise<Decoded<ExistPage<Item>>> {
        let fetched = Locked<[Decoded<ExistPage<Item>>]>([])
        return pages(query, charging: meter).forEach { page in
            fetched.withLock { $0.append(page) }
            return true
        }.map(on: nil) {
            // There is at least one page, because the promise rejects if the first page fails.
            let pages = fetched.withLock { $0 }
            var all = pages[pages.count - 1]
            all.value.previous = pages[0].value.previous
            var seen: Set<HashKey> = []
            all.value.results = query.unseen(pages.flatMap(\.value.results), &seen)
            all.value.unreadable = pages.flatMap(\.value.unreadable)
            let sent = pages.map(\.value.results.count).reduce(0, +)
            let different = all.value.results.count
            if query.page == 1, !all.value.unreadable.contains(where: \.isMissing), let total = all.value.totalCount,
                different + all.value.unreadable.undecoded < total
            {
                let again = NumberText.counted(sent - different, "item")
                let missing = UnreadableItem.missing("\(again) came twice, so others may be missing")
                all.value.unreadable.append(missing)
                self.report([missing], of: query.path)
            }
            return all
        }
    }

    /// Fetches only the requested page if a limit or a page number is given; otherwise, fetches all pages.
    func pageOrAll<Item>(
        _ query: ExistQuery<Item>, _ limit: Int?, _ page: Int?
    ) -> Promise<Decoded<ExistPage<Item>>> {
        limit == nil && page == nil ? walk(query) : send(query.endpoint)
    }
}
