import Foundation
import Pledge
import PledgeCoding

/// A request for one page of a list. With the response, it determines the request for the next page.
///
/// ```swift
/// struct Books: PagedRequest {
///     var page = 1
///     var endpoint: Endpoint<Shelf> { Endpoint(.get, "books", query: ["page": page]) }
///     func page(after shelf: Decoded<Shelf>) -> Books? { shelf.value.isLast ? nil : Books(page: page + 1) }
/// }
///
/// for try await shelf in client.pages(Books()) { … }
/// ```
public protocol PagedRequest: Sendable {
    /// The decoded type of a single page.
    associatedtype Page: Sendable

    /// The endpoint of this page. The endpoint identifies the page: a sequence never requests the same endpoint twice.
    var endpoint: Endpoint<Page> { get }

    /// Returns the request for the page that follows the given page, or nil if that was the last page. The parameter
    /// includes the page's response, because a header may name the next page; see ``RawResponse/link(_:)``.
    func page(after page: Decoded<Page>) -> Self?

    /// Returns the number of items on a page, which count toward the budget. The default is the length of the page if
    /// it is a sequence; otherwise, it is 1.
    func itemCount(of page: Page) -> Int
}

extension PagedRequest {
    /// Returns 1, for pages that are not sequences.
    public func itemCount(of page: Page) -> Int { 1 }
}

extension PagedRequest where Page: Sequence {
    /// Returns the number of elements of the page.
    public func itemCount(of page: Page) -> Int { page.reduce(0) { count, _ in count + 1 } }
}

/// The error of a list that might not end. Either the service points back to an earlier page, or it sends too many
/// consecutive pages without an item.
public struct RepeatedPages: Error, CustomStringConvertible {
    /// The number of pages that were received.
    public let pages: Int
    /// The number of items on these pages.
    public let items: Int
    /// The number of consecutive pages without an item; nil if the service pointed back to an earlier page.
    var emptyPages: Int?

    public var description: String {
        let received = "after \(pages) \(pages == 1 ? "page" : "pages") with \(items) items"
        return emptyPages.map {
            "the service's last \($0) pages had no items, \(received): if more may follow, raise “emptyPages” in the "
                + "budget of the client's options"
        } ?? "the service's pages form a circle \(received)"
    }
}

extension RepeatedPages: ExchangeFailure {
    package var kind: FailureKind { .unreadable }
}

/// An asynchronous sequence of pages. Each page, including the first, is requested only when it is needed.
///
/// The sequence ends after the last page, or after the first error. The error is ``RepeatedPages`` if the service
/// points back to an earlier page. Each iteration has a budget of its own, as specified by
/// ``EndpointClient/Options/budget``, and ends with an error when that budget is used up.
public struct PageSequence<Request: PagedRequest>: AsyncSequence, Sendable {
    /// The decoded type of a single page, which includes the page's items.
    public typealias Element = Request.Page

    private let first: Request
    private let makeMeter: @Sendable () -> BudgetMeter
    private let send: @Sendable (Request, BudgetMeter) -> Promise<Decoded<Request.Page>>
    private let failure: @Sendable (any Error) -> any Error

    /// Creates a sequence.
    ///
    /// - Parameters:
    ///   - first: The request for the first page.
    ///   - meter: Returns the meter for a new iteration.
    ///   - failure: Converts an error before the iteration ends with it.
    ///   - send: Sends the request for a page.
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

    /// An iterator over the pages. If the task is canceled, the request in progress is canceled.
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

    /// Returns the next page, or nil after the last page. The walk is passed by reference, because it remembers every
    /// page: copying it for each page would take quadratic time.
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
    /// Returns the items of all pages in one list. Once there are `limit` items, no further page is requested.
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
    /// Returns a sequence of pages that begins with `request`. Each page is requested only when it is needed.
    public func pages<Request: PagedRequest>(_ request: Request) -> PageSequence<Request> {
        PageSequence(request, meter: makeMeter()) { send($0.endpoint, charging: $1) }
    }
}

/// The position in a sequence of pages, as a value that performs no I/O.
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
    /// The number of consecutive pages without an item, counted back from the latest page.
    private var emptyPages = 0

    init(_ request: Request) {
        next = request
        asked = [Asked(request.endpoint)]
    }

    /// Returns the request for the next page; nil after the last page. After the response has arrived, call
    /// `record(_:to:)`: it determines the page that follows.
    ///
    /// - Throws: ``RepeatedPages`` if the last `mostEmptyPages` pages had no item. The method also throws it if the
    ///   request for the next page was sent before, because such a list would never end.
    mutating func takeNext(mostEmptyPages: Int) throws(RepeatedPages) -> Request? {
        defer { (next, isCircle) = (nil, false) }
        if isCircle { throw RepeatedPages(pages: pages, items: items) }
        guard next == nil || emptyPages == 0 || emptyPages < mostEmptyPages else {
            throw RepeatedPages(pages: pages, items: items, emptyPages: emptyPages)
        }
        return next
    }

    /// Returns the error of a page's request with the numbers of pages and items that were received before that page.
    func noting(_ error: any Error) -> any Error {
        guard var failure = error as? ExchangeError else { return error }
        failure.pagesBefore = pages
        failure.itemsBefore = items
        return failure
    }

    /// Determines the request that follows a page. The list is a circle only if that request was sent before. Two pages
    /// with the same content don't make it a circle, because a filtered list may have several pages without an item.
    mutating func record(_ page: Decoded<Request.Page>, to request: Request) {
        let count = request.itemCount(of: page.value)
        pages += 1
        items += count
        emptyPages = count == 0 ? emptyPages + 1 : 0
        guard let following = request.page(after: page) else { return }
        if asked.insert(Asked(following.endpoint)).inserted { next = following } else { isCircle = true }
    }
}

/// How much of a list has been received, compared with the total that the service announces.
///
/// Only the number of received items shows whether a list has ended. The size of a page doesn't, because a service may
/// put fewer items on a page than the client asked for.
package struct PageProgress: Sendable {
    /// Whether the pages begin with the first page of the list. If they don't, nobody can know whether items are missing.
    private let isFromStart: Bool
    /// The keys that identify the items on each page. A key that came before belongs to an item that has moved to a
    /// later page between two requests.
    private var pages: [[HashKey]] = []
    private var received = 0
    /// The number of items that could not be decoded, and so have no key.
    private var undecoded = 0
    /// The total that the last page announced.
    private var announced: Int?
    /// The numbers of items by which the total has increased and decreased.
    private var added = 0
    private var removed = 0

    package init(isFromStart: Bool) { self.isFromStart = isFromStart }

    /// Returns the progress after another page.
    ///
    /// - Parameters:
    ///   - keys: The keys that identify the items of the page.
    ///   - undecoded: The number of items of the page that could not be decoded.
    ///   - total: The total that the page announces.
    package func adding(_ keys: [HashKey], undecoded: Int, of total: Int?) -> PageProgress {
        var sum = self
        sum.pages.append(keys)
        sum.received += keys.count + undecoded
        sum.undecoded += undecoded
        guard let total, total >= 0 else { return sum }
        sum.added += max(0, total - (announced ?? total))
        sum.removed += max(0, (announced ?? total) - total)
        sum.announced = total
        return sum
    }

    /// Whether as many items were received as the service announced. If more were received, the announced total is
    /// wrong, and the list does not count as complete.
    package var isComplete: Bool { isFromStart && received == announced }

    /// Whether the last page has the same items as the page before it, because the service ignores the page's number.
    package var repeatsPage: Bool {
        guard let last = pages.last, !last.isEmpty else { return false }
        return pages.dropLast().last == last
    }

    /// A report of the items that are missing if no page follows; nil if no item is missing, as far as the client can
    /// know.
    package var missing: UnreadableItem? {
        guard isFromStart, let announced else { return nil }
        if received < announced {
            return .missing("the service announces \(NumberText.counted(announced, "item")), but sent \(received)")
        }
        // If an item moves back while the list is read, another moves forward. That one may move to a page that was
        // already read, and be missed. A new item also moves others back, but only the new item may be missed.
        let different = Set(pages.joined()).count + undecoded
        if different + added < announced {
            let repeated = NumberText.counted(received - different, "item")
            return .missing("\(repeated) came twice, so others may be missing")
        }
        // The same may happen if an item is removed.
        guard isComplete, removed > 0 else { return nil }
        return .missing(
            "\(NumberText.counted(removed, "item")) disappeared while the list was read, so others may be missing")
    }
}
