import Foundation
import PledgeCoding
import PledgeHTTP

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

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
        totalCount = total ?? list.items.count
        announced = total
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
        fetch(query).map(on: nil) { (page: $0.value, response: $0.response.urlResponse) }
    }

    /// Fetches all items of a list, page by page from the query's page, without duplicates if the list shifts. If fewer
    /// different items came than the service announces, that is passed to the client's `onUnreadable`.
    public func all<Item>(_ query: ExistQuery<Item>) -> Promise<ItemsOutput<Item>> {
        walk(query).map(on: nil) { (items: $0.value.results, response: $0.response.urlResponse) }
    }

    /// Returns a sequence of a list's pages, each requested only when it is needed.
    ///
    /// ```swift
    /// for try await page in existAPI.pages(.values(of: "weight")) { … }
    /// ```
    public func pages<Item>(_ query: ExistQuery<Item>) -> PageSequence<ExistQuery<Item>> {
        pages(query, charging: nil)
    }

    private func pages<Item>(
        _ query: ExistQuery<Item>, charging meter: BudgetMeter?
    ) -> PageSequence<ExistQuery<Item>> {
        PageSequence(query, meter: meter ?? self.meter, failure: { ExistError($0) }) { self.sendPage($0.endpoint, $1) }
    }

    private func fetch<Item>(_ query: ExistQuery<Item>) -> Promise<Decoded<ExistPage<Item>>> {
        sendPage(query.endpoint).mapError(on: nil) { ExistError($0) }
    }

    /// Fetches all pages and merges them, without duplicate items.
    ///
    /// - Parameter meter: The meter of the call that this is part of; nil if it is the whole call.
    package func walk<Item>(
        _ query: ExistQuery<Item>, charging meter: BudgetMeter? = nil
    ) -> Promise<Decoded<ExistPage<Item>>> {
        let fetched = Locked<[Decoded<ExistPage<Item>>]>([])
        return pages(query, charging: meter).forEach { page in
            fetched.withLock { $0.append(page) }
            return true
        }.map(on: nil) {
            // There is at least one: if the first page fails, the promise rejects.
            let pages = fetched.withLock { $0 }
            var all = pages[pages.count - 1]
            all.value.previous = pages[0].value.previous
            var seen: Set<HashKey> = []
            all.value.results = query.unseen(pages.flatMap(\.value.results), &seen)
            all.value.unreadable = pages.flatMap(\.value.unreadable)
            let sent = pages.map(\.value.results.count).reduce(0, +)
            let different = all.value.results.count
            if query.page == 1, !all.value.unreadable.contains(where: \.isMissing), let total = all.value.announced,
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

    /// Fetches all pages, or only the requested page if a limit or a page is given.
    func pageOrAll<Item>(
        _ query: ExistQuery<Item>, _ limit: Int?, _ page: Int?
    ) -> Promise<Decoded<ExistPage<Item>>> {
        limit == nil && page == nil ? walk(query) : fetch(query)
    }
}
