import Pledge
import PledgeCoding
import PledgeHTTP

/// A query whose results arrive in pages, and which can produce the query for the next page.
public protocol PagedQuery: PagedRequest where Page: ResultPage {
    /// The default page size, which is also the service's maximum.
    static var defaultLimit: Int { get }
    /// The maximum number of items per page, from 1 to ``defaultLimit``.
    var limit: Int { get }

    /// Returns the query for the next page, with the same filters; nil if this was the last page.
    func page(after page: Page) -> Self?
}

extension PagedQuery {
    /// The default page size of 100, the service's maximum.
    public static var defaultLimit: Int { 100 }

    /// Returns the query for the page after a decoded one, whose response it does not need.
    public func page(after page: Decoded<Page>) -> Self? { self.page(after: page.value) }

    /// Returns the number of items on a page, including those that could not be decoded.
    public func itemCount(of page: Page) -> Int { page.items.count + page.unreadable.undecoded }

    /// Returns the nearest page size that the service accepts.
    static func clamp(_ limit: Int) -> Int { min(max(limit, 1), defaultLimit) }

    /// Returns the number of the page after one of a list whose pages are numbered from 0; nil after the last, which is
    /// the one with which as many items have come as the service announces, or else an empty one.
    ///
    /// - Parameter progress: What has come, including this page; nil if the first pages were skipped.
    func number(after number: Int, of page: Page, _ progress: PageProgress?) -> Int? {
        guard 0..<mostNumberedPages ~= number, itemCount(of: page) > 0, progress?.isComplete != true else { return nil }
        return number + 1
    }
}

/// The maximum number of pages whose items an `Int` can count.
let mostNumberedPages = Int.max / 400

/// A query whose pages are identified by an id contained in the previous page.
public protocol PagedByID: PagedQuery where Page: ResultPageWithID {
    /// The identifier of the page to fetch; nil for the first page.
    var pageID: Page.PageID? { get set }
}

extension PagedByID {
    /// Returns the query for the next page, with the same filters; nil if this was the last page.
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
    /// Fetches a page of any list; use `query.page(after:)` for the next page, or ``pages(_:)`` for all. Calls for one
    /// list, such as `queryDeviceData(_:)`, are those of the official SDK.
    public func page<Query: PagedQuery>(_ query: Query) -> Promise<Query.Page> { call(query.endpoint) }
    public func page<Query: PagedQuery>(_ query: Query) async throws(MyDataHelpsError) -> Query.Page {
        try await value(of: call(query.endpoint))
    }
    public func page<Query: PagedQuery>(_ query: Query, completion: @escaping Completion<Query.Page>) {
        report(call(query.endpoint), to: completion)
    }
}

/// A page of results: a collection of its items, without those in ``unreadable``.
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
    /// The position of the first item, which is zero.
    public var startIndex: Int { 0 }
    /// The number of items on this page.
    public var endIndex: Int { items.count }
    /// Returns the item at a position on this page.
    public subscript(position: Int) -> Element { items[position] }
}

/// A page that identifies the next page by an id. Each list has its own page type, although all have the same
/// structure, for compatibility with the official SDK: code written for it adds different conformances to each.
public protocol ResultPageWithID: ResultPage, Codable where Element == Item {
    /// The type of the items on the page.
    associatedtype Item: Sendable

    /// The content of the page.
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

/// A page that contains only its items, under a name.
@usableFromInline package protocol ListPage: ResultPageWithID, Readable where Item: Codable {
    static var list: StaticString { get }
}

extension ListPage {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        self.init(content: try source.page(Self.list))
    }

    /// Encodes the items under the service's name, and the identifier of the next page.
    public func encode(to encoder: any Encoder) throws { try content.encode(as: "\(Self.list)", to: encoder) }
}

/// The content of a page of results.
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
    /// Encodes a page with its decoded items under the given key.
    func encode(as name: String, to encoder: any Encoder) throws {
        try [name: items].encode(to: encoder)
        try ["nextPageID": nextPageID].encode(to: encoder)
    }
}

extension TapeValue {
    /// Decodes a page with its items under the given key.
    func page<Item: Decodable & Sendable>(_ name: StaticString) throws(TapeFailure) -> PageContent<Item> {
        var fields = try fields()
        let list = try fields.required(name).items(of: Item.self)
        // An undecodable identifier is an error, since without it the list would end early.
        let next = try fields.text("nextPageID").flatMap { $0.isEmpty ? nil : $0 }
        return PageContent(items: list.items, nextPageID: next, unreadable: list.unreadable)
    }
}
