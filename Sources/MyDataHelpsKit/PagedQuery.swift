import Pledge
import PledgeCoding
import PledgeHTTP

/// A query for one page of a list. It can create the query for the next page.
public protocol PagedQuery: PagedRequest where Page: ResultPage {
    /// The default page size. It is also the largest page size that the service accepts.
    static var defaultLimit: Int { get }
    /// The maximum number of items per page, from 1 to ``defaultLimit``.
    var limit: Int { get }

    /// Returns the query for the next page with the same filters, or nil if the given page was the last.
    func page(after page: Page) -> Self?
}

extension PagedQuery {
    /// The default page size: 100, which is also the largest that the service accepts.
    public static var defaultLimit: Int { 100 }

    /// Returns the query for the page after a decoded page, or nil if that page was the last. The page's response isn't
    /// needed.
    public func page(after page: Decoded<Page>) -> Self? { self.page(after: page.value) }

    /// Returns the number of items on a page, including the items that could not be decoded.
    public func itemCount(of page: Page) -> Int { page.items.count + page.unreadable.undecoded }

    /// Returns the nearest page size that the service accepts.
    static func clamp(_ limit: Int) -> Int { min(max(limit, 1), defaultLimit) }
}

/// A query for a list whose pages are numbered from 0.
protocol NumberedQuery: PagedQuery {
    var position: NumberedPage { get set }

    /// Returns the number of items on all pages; nil if the service does not report it.
    func total(of page: Page) -> Int?
    /// Returns a key that identifies an item.
    func key(of item: Page.Element) -> HashKey
}

extension NumberedQuery {
    /// Returns the query for the next page, or nil if the given page was the last.
    func query(after page: Page) -> Self? {
        guard let following = position.next(after: itemCount(of: page), progress(with: page)) else { return nil }
        var next = self
        next.position = following
        return next
    }

    private func progress(with page: Page) -> PageProgress {
        position.progress.adding(page.map(key), undecoded: page.unreadable.undecoded, of: total(of: page))
    }

    /// Returns a report of the items that are missing if the given page is the last. Throws an error if the page has
    /// the same items as the page before it, because the service must then have ignored the page number.
    func missing(after page: Page) throws(UnreadableResponse) -> [UnreadableItem] {
        let progress = progress(with: page)
        if progress.repeatsPage {
            throw .unexpected(path: "", problem: "page \(position.number) has the same items as the page before it")
        }
        let isLast = position.next(after: itemCount(of: page), progress) == nil
        guard isLast, let missing = progress.missing else { return [] }
        return [missing]
    }
}

/// The position of a page in a list whose pages are numbered from 0.
struct NumberedPage: Sendable, Equatable {
    private(set) var number: Int
    /// The progress of the list before this page.
    @Uncompared private(set) var progress: PageProgress

    /// The largest page number. With more pages, the number of their items might not fit in an `Int`.
    private static let last = Int.max / 400

    init(_ number: Int) {
        self.number = min(max(number, 0), Self.last)
        progress = PageProgress(isFromStart: number <= 0)
    }

    /// Returns the position of the next page, or nil if this page is the last.
    ///
    /// This page is the last if it is empty. It is also the last if the number of items so far equals the number that
    /// the service announced.
    ///
    /// - Parameters:
    ///   - count: The number of items on this page.
    ///   - progress: The progress of the list after this page.
    func next(after count: Int, _ progress: PageProgress) -> NumberedPage? {
        guard number < Self.last, count > 0, !progress.isComplete else { return nil }
        var next = self
        next.number += 1
        next.progress = progress
        return next
    }
}

/// A query for a list in which each page contains the identifier of the next page.
public protocol PagedByID: PagedQuery where Page: ResultPageWithID {
    /// The identifier of the page to fetch; nil for the first page.
    var pageID: Page.PageID? { get set }
}

extension PagedByID {
    /// Returns the query for the next page with the same filters, or nil if the given page was the last.
    public func page(after page: Page) -> Self? {
        guard let id = page.nextPageID else { return nil }
        var next = self
        next.pageID = id
        return next
    }

    func list(_ path: String, _ filters: QueryItems) -> Endpoint<Page> {
        var query = filters
        query.add("limit", limit)
        query.add("pageID", pageID?.value)
        return Endpoint(.get, path, query: query)
    }
}

extension ParticipantSession {
    /// Fetches a page of any list. For the next page, use `query.page(after:)`. For all pages, use ``pages(_:)``.
    ///
    /// The official SDK has a separate call for each list, such as `queryDeviceData(_:)`. This kit has these calls,
    /// too.
    public func page<Query: PagedQuery>(_ query: Query) -> Promise<Query.Page> { call(query.endpoint) }
    public func page<Query: PagedQuery>(_ query: Query) async throws(MyDataHelpsError) -> Query.Page {
        try await value(of: call(query.endpoint))
    }
    public func page<Query: PagedQuery>(_ query: Query, completion: @escaping Completion<Query.Page>) {
        deliver(call(query.endpoint), to: completion)
    }
}

/// A page of results. It is a collection of the items that could be decoded. ``unreadable`` lists the other items.
///
/// ```swift
/// for task in page where task.status == .incomplete { print(task.surveyDisplayName) }
/// ```
public protocol ResultPage: RandomAccessCollection, Sendable
where Element: Sendable, Index == Int, Indices == Range<Int> {
    /// The items, in the service's order.
    var items: [Element] { get }
    /// The items of this page that could not be decoded.
    var unreadable: [UnreadableItem] { get }
}

extension ResultPage {
    /// The position of the first item on this page, which is zero.
    public var startIndex: Int { 0 }
    /// The position after the last item, which is the number of items on this page.
    public var endIndex: Int { items.count }
    /// Returns the item at a position on this page.
    public subscript(position: Int) -> Element { items[position] }
}

/// A page that contains the identifier of the next page.
///
/// All such pages have the same structure, but each list has a page type of its own, as in the official SDK. Code that
/// was written for the official SDK may add a different conformance to each of these types.
public protocol ResultPageWithID: ResultPage, Codable where Element == Item {
    /// The type of the items on the page.
    associatedtype Item: Sendable

    /// The items of the page, and the identifier of the next page.
    var content: PageContent<Item> { get set }

    /// Creates a page for use in tests and previews; see ``init(items:nextPageID:unreadable:)``.
    init(content: PageContent<Item>)
}

extension ResultPageWithID {
    /// A unique identifier for a page.
    public typealias PageID = ScopedIdentifier<Self, String>

    /// The items, in the service's order.
    public var items: [Element] { content.items }
    /// The identifier of the next page; nil on the last page.
    public var nextPageID: PageID? { content.nextPageID.map { PageID($0) } }
    /// The items of this page that could not be decoded.
    public var unreadable: [UnreadableItem] { content.unreadable }

    /// Creates a page for use in tests and previews.
    public init(items: [Element], nextPageID: PageID? = nil, unreadable: [UnreadableItem] = []) {
        self.init(content: PageContent(items: items, nextPageID: nextPageID?.value, unreadable: unreadable))
    }
}

/// A page that contains nothing but a list of items and the identifier of the next page. ``list`` is the name of the
/// list in the service's JSON.
@usableFromInline package protocol ListPage: ResultPageWithID, Readable where Item: Codable {
    static var list: StaticString { get }
}

extension ListPage {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        self.init(content: try source.page(Self.list))
    }

    /// Encodes the items under the service's name for the list, and the identifier of the next page.
    public func encode(to encoder: any Encoder) throws { try content.encode(as: "\(Self.list)", to: encoder) }
}

/// The content of a page of results: the items, and the identifier of the next page.
public struct PageContent<Item: Sendable>: Sendable {
    /// The items, in the service's order.
    public var items: [Item]
    /// The identifier of the next page; nil on the last page.
    public var nextPageID: String?
    /// The items that could not be decoded.
    public var unreadable: [UnreadableItem]
}

extension PageContent: Equatable where Item: Equatable {}

extension PageContent where Item: Encodable {
    /// Encodes a page. Its decoded items get the given name.
    func encode(as name: String, to encoder: any Encoder) throws {
        try [name: items].encode(to: encoder)
        try ["nextPageID": nextPageID].encode(to: encoder)
    }
}

extension TapeValue {
    /// Decodes a page whose items have the given name.
    func page<Item: Decodable & Sendable>(_ name: StaticString) throws(TapeFailure) -> PageContent<Item> {
        var fields = try fields()
        let list = try fields.required(name).items(of: Item.self)
        // If the identifier can't be decoded, that is an error. Ignoring it would end the list too early.
        let next = try fields.present("nextPageID")?.nonEmptyText()
        return PageContent(items: list.items, nextPageID: next, unreadable: list.unreadable)
    }
}
