import PledgeCoding

/// A page of results: a collection of its items.
///
/// ```swift
/// for task in page where task.status == .incomplete { print(task.surveyDisplayName) }
/// ```
///
/// An item that cannot be read never costs the others: it is in ``unreadable``.
public protocol ResultPage: RandomAccessCollection, Sendable
where Element: Sendable, Index == Int, Indices == Range<Int> {
    /// The items, in the service's order.
    var items: [Element] { get }
    /// What this page held beside the items and could not be read.
    var unreadable: [UnreadableItem] { get }
}

extension ResultPage {
    /// The place of the first item, which is zero.
    public var startIndex: Int { 0 }
    /// How many items there are on this page.
    public var endIndex: Int { items.count }
    /// An item of this page.
    public subscript(position: Int) -> Element { items[position] }
}

/// A page that says by an id where the next one begins.
///
/// Each list has a type of its own, though all are of one shape: the official SDK has, and code written for it gives each
/// another conformance.
public protocol ResultPageWithID: ResultPage, Decodable where Element == Item {
    /// What it is a page of.
    associatedtype Item: Sendable

    /// What is on it.
    var content: PageContent<Item> { get set }

    /// Makes a page by hand, for tests and previews; see ``init(items:nextPageID:unreadable:)``.
    init(content: PageContent<Item>)
}

extension ResultPageWithID {
    /// Tells a page from every other.
    public typealias PageID = ScopedIdentifier<Self, String>

    /// The items, in the service's order.
    public var items: [Element] { content.items }
    /// Where the next page begins; nil on the last.
    public var nextPageID: PageID? { content.nextPageID.map { PageID($0) } }
    /// What this page held beside the items and could not be read.
    public var unreadable: [UnreadableItem] { content.unreadable }

    /// Makes a page by hand, for tests and previews.
    public init(items: [Element], nextPageID: PageID? = nil, unreadable: [UnreadableItem] = []) {
        self.init(content: PageContent(items: items, nextPageID: nextPageID?.value, unreadable: unreadable))
    }
}

/// What is on a page.
public struct PageContent<Item: Sendable>: Sendable {
    /// The items, in the service's order.
    public var items: [Item]
    /// Where the next page begins; nil on the last.
    public var nextPageID: String?
    /// What could not be read.
    public var unreadable: [UnreadableItem]
}

extension PageContent: Equatable where Item: Equatable {}

extension ValueSource {
    /// Reads a page with its items under a name.
    func page<Item: Decodable & Sendable>(_ name: StaticString) throws(Failure) -> PageContent<Item> {
        var fields = try fields()
        let list = try fields.required(name).items(of: Item.self)
        let next = try fields.text("nextPageID").flatMap { $0.isEmpty ? nil : $0 }
        return PageContent(items: list.items, nextPageID: next, unreadable: list.unreadable)
    }
}
