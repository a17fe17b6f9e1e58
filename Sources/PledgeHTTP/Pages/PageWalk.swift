import Foundation

/// Where one stands among the pages: a value that does no I/O.
struct PageWalk<Request: PagedRequest>: Sendable {
    private struct Asked: Hashable {
        let target: String
        let body: Data?

        init(_ endpoint: Endpoint<Request.Page>) {
            target = "\(endpoint.path)?\(endpoint.query.encoded)"
            body = try? endpoint.body?.encode(.plain)
        }
    }

    private var next: Request?
    private var asked: Set<Asked>
    private var isCircle = false
    /// What tells the last reply from the next: ten thousand walks may be waiting, which is no time to hold a reply each.
    private var lastReply: Int?

    init(_ request: Request) {
        next = request
        asked = [Asked(request.endpoint)]
    }

    /// The request for the next page, once; nil after the last. Unless its answer is noted, there are no more.
    mutating func takeNext() throws(PagesInACircle) -> Request? {
        defer { (next, isCircle) = (nil, false) }
        if isCircle { throw PagesInACircle() }
        return next
    }

    /// Finds what follows a page: nothing after one that came twice, and never what was asked for before, which would have
    /// no end.
    mutating func note(_ answer: Answer<Request.Page>, to request: Request) {
        guard let following = request.page(after: answer.value) else { return }
        guard asked.insert(Asked(following.endpoint)).inserted else { return isCircle = true }
        var hasher = Hasher()
        answer.reply.body.withUnsafeBytes { hasher.combine(bytes: $0) }
        let reply = hasher.finalize()
        next = reply == lastReply ? nil : following
        lastReply = reply
    }
}
