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
protocol PagedByID: PagedQuery where Page: ResultPageWithID {
    var pageID: ScopedIdentifier<Page, String>? { get set }
}

extension PagedByID {
    /// All filters stay; only the place changes.
    func next(after page: Page) -> Self? {
        guard let id = page.nextPageID else { return nil }
        var next = self
        next.pageID = id
        return next
    }
}
