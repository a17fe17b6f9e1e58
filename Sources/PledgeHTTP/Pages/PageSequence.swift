import Pledge

/// The pages of an answer, each asked for when it is wanted: nothing is sent before the first is.
///
/// It ends after the last page; where the service sends the same page twice; with ``PagesInACircle`` where the service
/// points back; and with any other error: after it there are no more pages.
public struct PageSequence<Request: PagedRequest>: AsyncSequence, Sendable {
    /// A page, with its items.
    public typealias Element = Request.Page

    private let first: Request
    private let send: @Sendable (Request) -> Promise<Answer<Request.Page>>
    private let failure: @Sendable (any Error) -> any Error

    /// - Parameters:
    ///   - first: where to begin.
    ///   - failure: what to reject with instead of an error.
    ///   - send: asks for a page.
    package init(
        _ first: Request, failure: @escaping @Sendable (any Error) -> any Error = { $0 },
        send: @escaping @Sendable (Request) -> Promise<Answer<Request.Page>>
    ) {
        self.first = first
        self.failure = failure
        self.send = send
    }

    /// Begins with the first page.
    public func makeAsyncIterator() -> Iterator { Iterator(pages: self, walk: Locked(PageWalk(first))) }

    /// Goes from page to page. Cancelling the task ends the request under way.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let pages: PageSequence
        fileprivate let walk: Locked<PageWalk<Request>>

        /// The next page; nil after the last.
        public mutating func next() async throws -> Request.Page? {
            try await pages.step(walk)?.value.value
        }
    }

    /// Goes over the answers, each let go before the next is asked for, until `body` returns false.
    ///
    /// - Cancellation: ends the request under way, and sends no other.
    package func forEach(_ body: @escaping @Sendable (Answer<Request.Page>) throws -> Bool) -> Promise<Void> {
        forEach(from: Locked(PageWalk(first)), body)
    }

    private func forEach(
        from walk: Locked<PageWalk<Request>>, _ body: @escaping @Sendable (Answer<Request.Page>) throws -> Bool
    ) -> Promise<Void> {
        guard let step = step(walk) else { return Promise() }
        return step.then(on: nil) { answer -> Promise<Void> in
            try body(answer) ? forEach(from: walk, body) : Promise()
        }
    }

    /// The next page; nil after the last. The walk is shared, as what it remembers grows with each page: copied for each,
    /// it would cost the square of their number.
    private func step(_ walk: Locked<PageWalk<Request>>) -> Promise<Answer<Request.Page>>? {
        do {
            guard let request = try walk.withLock({ try $0.takeNext() }) else { return nil }
            return send(request).get(on: nil) { answer in
                walk.withLock { $0.note(answer, to: request) }
            }.mapError(on: nil, failure)
        } catch {
            return Promise(error: failure(error))
        }
    }
}

extension PageSequence where Request.Page: Sequence, Request.Page.Element: Sendable {
    /// The items of all pages in one list.
    ///
    /// - Parameter limit: stops with the page that reaches this many, and leaves off what is beyond.
    /// - Rejects: as the request for a page does; with ``PagesInACircle``.
    /// - Cancellation: ends the request under way, and sends no other.
    public func items(atMost limit: Int = .max) -> Promise<[Request.Page.Element]> {
        guard limit > 0 else { return .value([]) }
        let items = Locked<[Request.Page.Element]>([])
        return forEach { answer in
            items.withLock {
                $0.append(contentsOf: answer.value)
                return $0.count < limit
            }
        }.map(on: nil) { items.withLock { $0.count > limit ? Array($0.prefix(limit)) : $0 } }
    }
}

extension EndpointClient {
    /// The pages of an answer, each asked for when it is wanted; see ``PageSequence``.
    ///
    /// - Parameter request: where to begin.
    public func pages<Request: PagedRequest>(_ request: Request) -> PageSequence<Request> {
        PageSequence(request) { send($0.endpoint) }
    }
}
