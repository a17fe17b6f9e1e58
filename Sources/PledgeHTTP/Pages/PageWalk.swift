import Foundation

/// The position in a sequence of pages: a value that performs no I/O.
struct PageWalk<Request: PagedRequest>: Sendable {
    private struct Asked: Hashable {
        let target: String
        let body: FileBody?

        init(_ endpoint: Endpoint<Request.Page>) {
            target = "\(endpoint.path)?\(endpoint.query.encoded)"
            body = try? endpoint.body?.encode(.plain)
        }
    }

    private var next: Request?
    private var asked: Set<Asked>
    private var isCircle = false
    private var pages = 0
    private var items = 0
    /// The number of pages without an item since the last one that had any.
    private var emptyPages = 0

    init(_ request: Request) {
        next = request
        asked = [Asked(request.endpoint)]
    }

    /// Returns the next page's request, once; nil after the last. Unless its response is recorded, no more follow.
    ///
    /// - Throws: ``RepeatedPages`` if that request was sent before, as the list would never end, or if there was no item
    ///   on as many pages as `mostEmptyPages`.
    mutating func takeNext(mostEmptyPages: Int) throws(RepeatedPages) -> Request? {
        defer { (next, isCircle) = (nil, false) }
        if isCircle { throw RepeatedPages(pages: pages, items: items) }
        guard next == nil || emptyPages == 0 || emptyPages < mostEmptyPages else {
            throw RepeatedPages(pages: pages, items: items, emptyPages: emptyPages)
        }
        return next
    }

    /// Returns the error of a page's request with the numbers of pages and items received before it.
    func noting(_ error: any Error) -> any Error {
        guard var failure = error as? ExchangeError else { return error }
        (failure.pagesBefore, failure.itemsBefore) = (pages, items)
        return failure
    }

    /// Determines the request that follows a page. Pages with the same content are no circle, as a filtered list may have
    /// several without an item; only a request that was sent before is one.
    mutating func record(_ page: Decoded<Request.Page>, to request: Request) {
        let count = request.itemCount(of: page.value)
        pages += 1
        items += count
        emptyPages = count == 0 ? emptyPages + 1 : 0
        guard let following = request.page(after: page) else { return }
        if asked.insert(Asked(following.endpoint)).inserted { next = following } else { isCircle = true }
    }
}
