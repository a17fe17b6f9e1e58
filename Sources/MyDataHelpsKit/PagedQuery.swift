import Pledge
import PledgeHTTP

/// A query whose results arrive in pages, and which can produce the query for the next page.
public protocol PagedQuery: PagedRequest where Page: ResultPage {
    /// The default page size, which is also the service's maximum.
    static var defaultLimit: Int { get }
    /// The maximum number of items per page, from 1 to ``defaultLimit``.
    var limit: Int { get }

    /// Returns the query for the next page, with the same filters; nil if this was the last page.
    func page(after page: Page) -> Self?
}

extension PagedQuery {
    /// The default page size of 100, the service's maximum.
    public static var defaultLimit: Int { 100 }

    /// Returns the query for the page after a decoded one, whose response it does not need.
    public func page(after page: Decoded<Page>) -> Self? { self.page(after: page.value) }

    /// Returns the number of items on a page, including those that could not be decoded.
    public func itemCount(of page: Page) -> Int { page.items.count + page.unreadable.undecoded }

    /// Returns the nearest page size that the service accepts.
    static func clamp(_ limit: Int) -> Int { min(max(limit, 1), defaultLimit) }

    /// Returns the number of the page after one of a list whose pages are numbered from 0; nil after the last, which is
    /// the one with which as many items have come as the service announces, or else an empty one.
    ///
    /// - Parameter progress: What has come, including this page; nil if the first pages were skipped.
    func number(after number: Int, of page: Page, _ progress: PageProgress?) -> Int? {
        guard 0..<mostNumberedPages ~= number, itemCount(of: page) > 0, progress?.isComplete != true else { return nil }
        return number + 1
    }
}

/// The maximum number of pages whose items an `Int` can count.
let mostNumberedPages = Int.max / 400

/// A query whose pages are identified by an id contained in the previous page.
public protocol PagedByID: PagedQuery where Page: ResultPageWithID {
    /// The identifier of the page to fetch; nil for the first page.
    var pageID: Page.PageID? { get set }
}

extension PagedByID {
    /// Returns the query for the next page, with the same filters; nil if this was the last page.
    public func page(after page: Page) -> Self? {
        guard let id = page.nextPageID else { return nil }
        var next = self
        next.pageID = id
        return next
    }

    func list(_ path: String, _ filters: QueryItems) -> Endpoint<Page> {
        var query = filters
        query.add("limit", limit)
        query.add("pageID", pageID?.value)
        return Endpoint(.get, path, query: query)
    }
}

extension ParticipantSession {
    /// Fetches a page of any list; use `query.page(after:)` for the next page, or ``pages(_:)`` for all. Calls for one
    /// list, such as `queryDeviceData(_:)`, are those of the official SDK.
    public func page<Query: PagedQuery>(_ query: Query) -> Promise<Query.Page> { call(query.endpoint) }
    public func page<Query: PagedQuery>(_ query: Query) async throws(MyDataHelpsError) -> Query.Page {
        try await value(of: call(query.endpoint))
    }
    public func page<Query: PagedQuery>(_ query: Query, completion: @escaping Completion<Query.Page>) {
        report(call(query.endpoint), to: completion)
    }
}
