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
    /// Zero.
    public var startIndex: Int { 0 }
    /// How many items there are on this page.
    public var endIndex: Int { items.count }
    /// An item of this page.
    public subscript(position: Int) -> Element { items[position] }
}

/// A page that says by an id where the next one begins.
public protocol ResultPageWithID: ResultPage, Decodable {
    /// Where the next page begins; nil on the last.
    var nextPageID: ScopedIdentifier<Self, String>? { get }
}

extension ValueSource {
    /// Reads a page with its items under a key.
    func page<Page: ResultPageWithID, Item: Decodable & Sendable>(
        _ page: Page.Type, of item: Item.Type, _ key: StaticString
    ) throws(Failure) -> (items: [Item], next: ScopedIdentifier<Page, String>?, unreadable: [UnreadableItem]) {
        var fields = try fields()
        let list = try fields.required(key).items(of: item)
        let next = try fields.text("nextPageID").flatMap { $0.isEmpty ? nil : $0 }
        return (list.items, next.map { ScopedIdentifier($0) }, list.unreadable)
    }
}
