import Pledge
import PledgeHTTP
import PledgeCoding

extension ParticipantSession {
    /// Every page of an answer, each asked for when it is wanted.
    ///
    /// ```swift
    /// for try await page in session.allPages(SurveyTaskQuery(statuses: [.incomplete])) {
    ///     for task in page { print(task.surveyDisplayName) }
    /// }
    ///
    /// session.allPages(query).items(atMost: 1000).done { points in … }
    /// ```
    ///
    /// Nothing is sent before the first page is asked for. Every page costs one of the hourly requests.
    ///
    /// - Parameter query: what to look for, and where to begin.
    public func allPages<Query: PagedQuery>(_ query: Query) -> AllPages<Query> {
        AllPages(session: self, query: query)
    }

    /// Sends for a page, and tells the client what of it could not be read.
    func send<Query: PagedQuery>(page query: Query) -> Promise<Query.Page> {
        let endpoint = query.endpoint
        return send(endpoint).map(on: nil) { page in
            self.client.note(page.unreadable, of: endpoint.path.split(separator: "/").last.map(String.init) ?? "")
            return page
        }
    }
}

/// The pages of an answer, one after another; see ``ParticipantSession/allPages(_:)``.
public struct AllPages<Query: PagedQuery>: AsyncSequence, Sendable {
    /// A page.
    public typealias Element = Query.Page

    fileprivate let session: ParticipantSession
    fileprivate let query: Query

    /// Goes from page to page.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let session: ParticipantSession
        fileprivate var walk: Walk<Query>

        /// The next page; nil after the last.
        ///
        /// - Throws: ``MyDataHelpsError``; after it there are no more pages.
        public mutating func next() async throws -> Query.Page? {
            guard let query = walk.next else { return nil }
            walk.next = nil
            do {
                let page = try await session.send(page: query).value
                try walk.advance(from: query, past: page)
                return page
            } catch {
                throw MyDataHelpsError(error)
            }
        }
    }

    /// Begins with the query's own page.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(session: session, walk: Walk(query))
    }

    /// The items of all pages in one list, as a promise.
    ///
    /// - Parameter limit: stops with the page that reaches this many, and leaves off what is beyond.
    /// - Rejects: with ``MyDataHelpsError``.
    /// - Queue: handlers run where they ask to.
    /// - Cancellation: ends the request under way, and sends no other.
    public func items(atMost limit: Int = .max) -> Promise<[Query.Page.Element]> {
        guard limit > 0 else { return .value([]) }
        return collect([], Walk(query), limit)
    }

    private func collect(
        _ items: [Query.Page.Element], _ walk: Walk<Query>, _ limit: Int
    ) -> Promise<[Query.Page.Element]> {
        guard let query = walk.next, items.count < limit else { return .value(Array(items.prefix(limit))) }
        return session.send(page: query).then(on: nil) { page -> Promise<[Query.Page.Element]> in
            var walk = walk
            walk.next = nil
            try walk.advance(from: query, past: page)
            return collect(items + page.items, walk, limit)
        }
    }
}

/// Where one stands among the pages.
private struct Walk<Query: PagedQuery>: Sendable {
    var next: Query?
    private var seen: Set<ExactText>

    init(_ query: Query) {
        next = query
        seen = [ExactText(query.pageMark)]
    }

    /// Goes on to what follows a page, but never to where it has been: that would have no end.
    mutating func advance(from query: Query, past page: Query.Page) throws(MyDataHelpsError) {
        guard let following = query.page(after: page) else { return }
        guard seen.insert(ExactText(following.pageMark)).inserted else { throw .decodingError(PagesInACircle()) }
        next = following
    }
}

/// The service sent the id of a page for the second time.
struct PagesInACircle: Error, CustomStringConvertible {
    var description: String { "the service's pages go round in a circle" }
}
