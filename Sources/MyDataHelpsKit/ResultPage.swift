import PledgeCoding

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
