import PledgeHTTP

/// What to ask of one of Exist's lists: a value, that knows its next page.
///
/// ```swift
/// existAPI.all(.owned()).done { attributes, _ in … }
/// for try await page in existAPI.pages(.values(of: "weight")) { … }
/// ```
public struct ExistQuery<Item: Decodable & Sendable>: PagedRequest {
    /// How many items on a page, 1 to 100.
    public let limit: Int
    /// Which page, from 1.
    public let page: Int
    let path: String
    private let filters: QueryItems
    /// What makes an item the same on two pages, should the list shift while it is read.
    package let identity: (@Sendable (Item) -> String)?
    /// How many items may still come, by what the first page said: a service that always says there are more has to stop
    /// somewhere.
    private var left: Int?

    init(
        _ path: String, _ filters: QueryItems, limit: Int?, page: Int,
        identity: (@Sendable (Item) -> String)? = nil
    ) {
        self.path = path
        self.limit = min(max(limit ?? 100, 1), 100)
        self.page = max(page, 1)
        self.filters = filters
        self.identity = identity
    }

    /// The same question for the page after this one; nil if this was the last.
    ///
    /// Goes by page number and never by the service's `next`, which leaves out the filters and may point to plain
    /// `http`.
    public func page(after page: ExistPage<Item>) -> ExistQuery? {
        let came = page.results.count + page.unreadable.count
        guard page.next != nil, came > 0 else { return nil }
        var next = ExistQuery(path, filters, limit: limit, page: self.page + 1, identity: identity)
        // A page more than there were, for what the user adds meanwhile.
        let left = (left ?? min(max(page.count, 0), 1_000_000_000) + limit) - came
        next.left = left
        return left > 0 ? next : nil
    }

    /// The call as a value. `GET <path>`
    public var endpoint: Endpoint<ExistPage<Item>> {
        var query = filters
        query.add("page", page)
        query.add("limit", limit)
        return Endpoint(.get, path, query: query)
    }
}

extension ExistAPI {
    /// All pages, or the one that was asked for.
    func pageOrAll<Item>(
        _ query: ExistQuery<Item>, _ limit: Int?, _ pageIndex: Int?
    ) -> Promise<Answer<ExistPage<Item>>> {
        limit == nil && pageIndex == nil ? walk(query) : sendPage(query.endpoint)
    }
}
