import Foundation

/// The position in a sequence of pages: a value that performs no I/O.
struct PageWalk<Request: PagedRequest>: Sendable {
    private struct Asked: Hashable {
        let target: String
        let body: FileBody?

        init(_ endpoint: Endpoint<Request.Page>) {
            target = "\(endpoint.relativePath)?\(endpoint.query.encoded)"
            body = try? endpoint.body?.encode(.plain)
        }
    }

    private var next: Request?
    private var asked: Set<Asked>
    private var isCircle = false
    private var pages = 0
    private var items = 0
    /// A hash of the last response. Ten thousand walks may be waiting, which rules out keeping a response for each.
    private var lastResponse: UInt64?

    init(_ request: Request) {
        next = request
        asked = [Asked(request.endpoint)]
    }

    /// Returns the next page's request, once; nil after the last. Unless its response is recorded, no more follow.
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
    mutating func record(_ page: Decoded<Request.Page>, to request: Request) {
        pages += 1
        items += request.itemCount(of: page.value)
        guard let following = request.page(after: page.value) else { return }
        guard asked.insert(Asked(following.endpoint)).inserted else { return isCircle = true }
        let response = page.response.body.withUnsafeBytes(hash)
        guard response != lastResponse else { return isCircle = true }
        (next, lastResponse) = (following, response)
    }

    /// Not by a `Hasher`, which takes six times as many instructions: nobody gains from pages with the same hash.
    private func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
            let product = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
            return product ^ product >> 32
        }
        let whole = bytes.count & ~7
        let words = stride(from: 0, to: whole, by: 8).lazy.map {
            bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self)
        }
        return bytes[whole...].reduce(words.reduce(UInt64(bytes.count), mix)) { mix($0, UInt64($1)) }
    }
}
