import Pledge
import PledgeHTTP

/// A question whose answer comes page by page, and which knows the question for the next page.
public protocol PagedQuery: PagedRequest where Page: ResultPage {
    /// How many items are on a page unless asked otherwise, which is also the most the service gives.
    static var defaultLimit: Int { get }
    /// How many items are on a page at most: 1 to 100.
    var limit: Int { get }
}

extension PagedQuery {
    /// 100, the most the service gives.
    public static var defaultLimit: Int { 100 }

    /// A number of items the service accepts.
    static func clamp(_ limit: Int) -> Int { min(max(limit, 1), defaultLimit) }
}

/// A question whose pages are found by the id in the page before.
public protocol PagedByID: PagedQuery where Page: ResultPageWithID {
    /// Which page; nil for the first.
    var pageID: Page.PageID? { get set }
}

extension PagedByID {
    /// The same question, with all its filters, about the page that follows; nil if that was the last.
    public func page(after page: Page) -> Self? {
        guard let id = page.nextPageID else { return nil }
        var next = self
        next.pageID = id
        return next
    }

    /// A question with these filters, and what every paged question ends with.
    func list(_ path: String, _ filters: QueryItems) -> Endpoint<Page> {
        var query = filters
        query.add("limit", limit)
        query.add("pageID", pageID?.value)
        return Endpoint(.get, path, query: query)
    }
}

extension ParticipantSession {
    // One comment for the three styles of a call: promise, asynchronous, completion.

    /// A page of any list; the calls that name one, such as `queryDeviceData(_:)`, are of the official SDK.
    ///
    /// - Parameter query: what to look for; `query.page(after:)` asks for the next page, ``allPages(_:)`` for all.
    public func page<Query: PagedQuery>(_ query: Query) -> Promise<Query.Page> { send(query.endpoint) }
    public func page<Query: PagedQuery>(_ query: Query) async throws(MyDataHelpsError) -> Query.Page {
        try await value(of: send(query.endpoint))
    }
    public func page<Query: PagedQuery>(_ query: Query, completion: @escaping Completion<Query.Page>) {
        report(send(query.endpoint), to: completion)
    }

    /// Every page of a list, each asked for when it is wanted.
    ///
    /// ```swift
    /// for try await page in session.allPages(SurveyTaskQuery(statuses: [.incomplete])) {
    ///     for task in page { print(task.surveyDisplayName) }
    /// }
    ///
    /// session.allPages(query).items(atMost: 1000).done { points in … }
    /// ```
    ///
    /// Nothing is sent before the first page is asked for. Every page costs one of the hourly requests. Both throw
    /// ``MyDataHelpsError``.
    ///
    /// - Parameter query: what to look for, and where to begin.
    public func allPages<Query: PagedQuery>(_ query: Query) -> PageSequence<Query> {
        PageSequence(query, failure: { MyDataHelpsError($0) }) { self.answer($0.endpoint) }
    }
}
