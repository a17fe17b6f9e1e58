import Foundation
import PledgeHTTP
import PledgeCoding

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension ExistAPI {
    /// One page of a list.
    ///
    /// - Parameter query: which list, which page; see ``ExistQuery``.
    /// - Rejects: with ``ExistError``.
    /// - Cancellation: ends the request.
    public func page<Item>(_ query: ExistQuery<Item>) -> Promise<PageReply<Item>> {
        sendPage(query.endpoint).map(on: .pledge) { (page: $0.value, response: $0.reply.urlResponse) }
    }

    /// Every item of a list, page by page, from the query's page on; each once, should the list shift meanwhile.
    ///
    /// - Parameter query: which list; see ``ExistQuery``.
    /// - Rejects: with ``ExistError``.
    /// - Cancellation: ends the request under way, and sends no other.
    public func all<Item>(_ query: ExistQuery<Item>) -> Promise<ItemsReply<Item>> {
        walk(query).map(on: .pledge) { (items: $0.value.results, response: $0.reply.urlResponse) }
    }

    /// The pages of a list one by one, each asked for when it is wanted.
    ///
    /// ```swift
    /// for try await page in existAPI.pages(.values(of: "weight")) { … }
    /// ```
    ///
    /// - Parameter query: which list; see ``ExistQuery``.
    public func pages<Item>(_ query: ExistQuery<Item>) -> ExistPages<Item> {
        ExistPages(existAPI: self, query: query)
    }

    /// Every page as one page.
    func walk<Item>(_ query: ExistQuery<Item>) -> Promise<Answer<ExistPage<Item>>> {
        walk(PageWalk(query), after: nil)
    }

    private func walk<Item>(
        _ walk: PageWalk<Item>, after read: ExistPage<Item>?
    ) -> Promise<Answer<ExistPage<Item>>> {
        sendPage(walk.query.endpoint).then(on: .pledge) { answer -> Promise<Answer<ExistPage<Item>>> in
            var all = answer
            if let read {
                all.value.results = read.results + answer.value.results
                all.value.unreadable = read.unreadable + answer.value.unreadable
                all.value.previous = read.previous
            }
            guard let next = walk.next(after: answer) else {
                if let identity = walk.query.identity {
                    var seen: Set<ExactText> = []
                    all.value.results.removeAll { !seen.insert(ExactText(identity($0))).inserted }
                }
                return .value(all)
            }
            return self.walk(next, after: all.value)
        }
    }
}

/// Where a walk over pages stands, and whether it goes on.
///
/// It ends at the last page and at an empty one; and where the service misbehaves: when a page comes twice, or there
/// are more pages than the first one's count allows for.
struct PageWalk<Item: Decodable & Sendable>: Sendable {
    var query: ExistQuery<Item>
    private var lastBody: Data?
    private var lastPage: Int?

    init(_ query: ExistQuery<Item>) {
        self.query = query
    }

    func next(after answer: Answer<ExistPage<Item>>) -> PageWalk? {
        guard answer.reply.body != lastBody, let following = query.page(after: answer.value) else { return nil }
        var next = self
        next.query = following
        next.lastBody = answer.reply.body
        // One more than there were, for what the user adds meanwhile.
        let count = min(max(answer.value.count, 0), 1_000_000_000)
        next.lastPage = lastPage ?? (count + query.limit - 1) / query.limit + 1
        return following.page <= next.lastPage ?? 0 ? next : nil
    }
}

/// The pages of a list, each asked for when it is wanted.
///
/// Cancelling the task that goes over them ends the request under way.
public struct ExistPages<Item: Decodable & Sendable>: AsyncSequence, Sendable {
    /// A page.
    public typealias Element = ExistPage<Item>

    let existAPI: ExistAPI
    let query: ExistQuery<Item>

    /// Starts at the query's page.
    public func makeAsyncIterator() -> Iterator {
        Iterator(existAPI: existAPI, walk: PageWalk(query))
    }

    /// Asks for one page after another.
    public struct Iterator: AsyncIteratorProtocol {
        let existAPI: ExistAPI
        var walk: PageWalk<Item>?

        /// The next page; nil after the last.
        public mutating func next() async throws -> ExistPage<Item>? {
            guard let walk else { return nil }
            let answer = try await existAPI.sendPage(walk.query.endpoint).value
            self.walk = walk.next(after: answer)
            return answer.value
        }
    }
}
