import Pledge

/// An asynchronous sequence of pages, each of which, including the first, is requested only when it is needed.
///
/// The sequence ends after the last page. It throws ``RepeatedPages`` if the service points back to an earlier page, and
/// ends after any error, such as that of a budget that is used up. Each iteration has the budget of
/// ``EndpointClient/Options/budget``.
public struct PageSequence<Request: PagedRequest>: AsyncSequence, Sendable {
    /// A page, together with its items.
    public typealias Element = Request.Page

    private let first: Request
    private let makeMeter: @Sendable () -> BudgetMeter
    private let send: @Sendable (Request, BudgetMeter) -> Promise<Decoded<Request.Page>>
    private let failure: @Sendable (any Error) -> any Error

    /// `meter` returns the meter of an iteration, and `failure` the error to reject with in place of another.
    package init(
        _ first: Request, meter: @autoclosure @escaping @Sendable () -> BudgetMeter,
        failure: @escaping @Sendable (any Error) -> any Error = { $0 },
        send: @escaping @Sendable (Request, BudgetMeter) -> Promise<Decoded<Request.Page>>
    ) {
        self.first = first
        makeMeter = meter
        self.failure = failure
        self.send = send
    }

    /// Creates an iterator that starts at the first page.
    public func makeAsyncIterator() -> Iterator {
        Iterator(pages: self, walk: Locked(PageWalk(first)), meter: makeMeter())
    }

    /// An iterator over the pages. Canceling the task cancels the request in progress.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let pages: PageSequence
        fileprivate let walk: Locked<PageWalk<Request>>
        fileprivate let meter: BudgetMeter

        /// Returns the next page, or nil after the last.
        public mutating func next() async throws -> Request.Page? {
            try await pages.step(walk, meter)?.value.value
        }
    }

    /// Calls `body` with each page until it returns false. Each page is released before the next is requested.
    package func forEach(_ body: @escaping @Sendable (Decoded<Request.Page>) throws -> Bool) -> Promise<Void> {
        forEach(from: Locked(PageWalk(first)), makeMeter(), body)
    }

    private func forEach(
        from walk: Locked<PageWalk<Request>>, _ meter: BudgetMeter,
        _ body: @escaping @Sendable (Decoded<Request.Page>) throws -> Bool
    ) -> Promise<Void> {
        guard let step = step(walk, meter) else { return Promise() }
        return step.then(on: nil) { decoded -> Promise<Void> in
            try body(decoded) ? forEach(from: walk, meter, body) : Promise()
        }
    }

    /// Returns the next page, or nil after the last. The walk is shared because what it remembers grows with each page:
    /// copying it for each would take quadratic time.
    private func step(_ walk: Locked<PageWalk<Request>>, _ meter: BudgetMeter) -> Promise<Decoded<Request.Page>>? {
        do {
            let most = meter.budget.emptyPages
            guard let request = try walk.withLock({ try $0.takeNext(mostEmptyPages: most) }) else { return nil }
            return send(request, meter).get(on: nil) { decoded in
                meter.add(items: request.itemCount(of: decoded.value))
                walk.withLock { $0.record(decoded, to: request) }
            }.mapError(on: nil) { error in failure(walk.withLock { $0.noting(error) }) }
        } catch {
            return Promise(error: failure(error))
        }
    }
}

extension PageSequence where Request.Page: Sequence, Request.Page.Element: Sendable {
    /// Returns the items of all pages in one list, at most `limit`: no page is requested after that.
    ///
    /// - Rejects: With the error of a page's request, or with ``RepeatedPages``.
    public func items(atMost limit: Int = .max) -> Promise<[Request.Page.Element]> {
        guard limit > 0 else { return .value([]) }
        let items = Locked<[Request.Page.Element]>([])
        return forEach { decoded in
            items.withLock {
                $0.append(contentsOf: decoded.value)
                return $0.count < limit
            }
        }.map(on: nil) { items.withLock { $0.count > limit ? Array($0.prefix(limit)) : $0 } }
    }
}

extension EndpointClient {
    /// Returns a sequence of pages, beginning with `request`, each requested only when it is needed.
    public func pages<Request: PagedRequest>(_ request: Request) -> PageSequence<Request> {
        PageSequence(request, meter: meter) { send($0.endpoint, charging: $1) }
    }
}
