import Foundation

/// The position in a sequence of pages: a value that performs no I/O.
struct PageWalk<Request: PagedRequest>: Sendable {
    private struct Asked: Hashable {
        let target: String
        let body: FileBody?

        init(_ endpoint: Endpoint<Request.Page>) {
            target = "\(endpoint.relativePath)?\(endpoint.query.encoded)"
            body = try? endpoint.body?.encode(EndpointBody.Coding())
        }
    }

    private var next: Request?
    private var asked: Set<Asked>
    private var isCircle = false
    private var pages = 0
    private var items = 0
    /// A hash of the last response. Ten thousand walks may be waiting, which rules out keeping a response for each.
    private var lastReply: Int?

    init(_ request: Request) {
        next = request
        asked = [Asked(request.endpoint)]
    }

    /// Returns the next page's request, once; nil after the last. Unless its answer is recorded, no more follow.
    mutating func takeNext() throws(RepeatedPages) -> Request? {
        defer { (next, isCircle) = (nil, false) }
        if isCircle { throw RepeatedPages(pages: pages, items: items) }
        return next
    }

    /// Returns the error of a page's request with the numbers of pages and items received before it.
    func noting(_ error: any Error) -> any Error {
        guard var failure = error as? ExchangeError else { return error }
        (failure.pagesBefore, failure.itemsBefore) = (pages, items)
        return failure
    }

    /// Determines the request that follows a page. It is an error instead if the page was received twice in a row, or
    /// if that request was sent before, as that would never end.
    mutating func record(_ answer: Answer<Request.Page>, to request: Request) {
        pages += 1
        items += request.itemCount(of: answer.value)
        guard let following = request.page(after: answer.value) else { return }
        guard asked.insert(Asked(following.endpoint)).inserted else { return isCircle = true }
        var hasher = Hasher()
        answer.reply.body.withUnsafeBytes { hasher.combine(bytes: $0) }
        let reply = hasher.finalize()
        guard reply != lastReply else { return isCircle = true }
        (next, lastReply) = (following, reply)
    }
}
