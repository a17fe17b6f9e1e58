import PledgeCoding
import PledgeHTTP

/// A query for one of Exist's lists that can derive the query for its next page.
///
/// ```swift
/// existAPI.all(.owned()).done { attributes, _ in … }
/// for try await page in existAPI.pages(.values(of: "weight")) { … }
/// ```
public struct ExistQuery<Item: Decodable & Sendable>: PagedRequest {
    // The lists are in extensions for any item, and specify its type themselves, because code completion after
    // `existAPI.all(.` omits the members of an extension for one item.

    /// The maximum number of items per page, from 1 to 100.
    public let limit: Int
    /// The number of the page, starting at 1.
    public let page: Int
    var path: String
    private let filters: QueryItems
    /// What has come before this page; nil if the first ones were skipped.
    private let progress: PageProgress?
    /// Identifies an item, which may move to the next page between two requests.
    package let identity: @Sendable (Item) -> HashKey
    /// What identifies the items of the page before, which a service never sends again as a whole page.
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

    /// Returns the query for the next page, or nil if the given one has no `next`, whatever its count. It uses the page
    /// number, never `next` itself, which may lead to another host or to plain `http`.
    public func page(after page: ExistPage<Item>) -> ExistQuery? {
        guard page.next != nil, self.page < .max else { return nil }
        return ExistQuery(
            path, filters, limit: limit, page: self.page + 1, after: progress(with: page), identity: identity)
    }

    private func progress(with page: ExistPage<Item>) -> PageProgress? {
        progress?.adding(itemCount(of: page), of: page.announced)
    }

    /// Returns the query for the page after a decoded one; the same query, which ends a sequence with ``RepeatedPages``, if
    /// the service has sent the same items as before.
    public func page(after page: Decoded<ExistPage<Item>>) -> ExistQuery? {
        guard var following = self.page(after: page.value) else { return nil }
        let items = page.value.results.map(identity)
        // The service ignores the page number: a request that was sent before ends the list with an error.
        if !items.isEmpty, items == itemsBefore { return self }
        following.itemsBefore = items
        return following
    }

    /// Returns the items that were not seen before.
    package func unseen(_ items: [Item], _ seen: inout Set<HashKey>) -> [Item] {
        items.filter { seen.insert(identity($0)).inserted }
    }

    public func itemCount(of page: ExistPage<Item>) -> Int { page.results.count + page.unreadable.undecoded }

    /// The endpoint of this page. `GET <path>` If it is the last one, and fewer items have come than the service announces,
    /// the page says so in ``ExistPage/unreadable``.
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
