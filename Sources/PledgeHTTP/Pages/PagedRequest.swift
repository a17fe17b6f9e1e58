/// A request for one page of a list that can derive the request for the next page.
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

    /// The endpoint of this page. It identifies the page: no endpoint is requested twice in one sequence.
    var endpoint: Endpoint<Page> { get }

    /// Returns the request for the page after the given one, or nil if that was the last page. The page comes with its
    /// response, whose headers may name the next one; see ``RawResponse/link(_:)``.
    func page(after page: Decoded<Page>) -> Self?

    /// Returns the number of items on a page, which count towards the budget. The default is the length of the page if
    /// it is a sequence, or else 1.
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

/// The error if a service points to an earlier page, or sends one page after another without an item, so that its list
/// would not end.
public struct RepeatedPages: Error, CustomStringConvertible {
    /// The number of pages that were received.
    public let pages: Int
    /// The number of items on them.
    public let items: Int
    /// The number of pages without an item at the end; nil if the service pointed to an earlier page.
    var emptyPages: Int?

    public var description: String {
        let received = "after \(pages) \(pages == 1 ? "page" : "pages") with \(items) items"
        return emptyPages.map {
            "the service's last \($0) pages had no items, \(received): if more may follow, raise “emptyPages” in the budget of the client's options"
        } ?? "the service's pages form a circle \(received)"
    }
}
