/// A request for one page of a list that can derive the request for the next page.
///
/// ```swift
/// struct Books: PagedRequest {
///     var page = 1
///     var endpoint: Endpoint<Shelf> { Endpoint(.get, "books?page=\(page)") }
///     func page(after shelf: Shelf) -> Books? { shelf.isLast ? nil : Books(page: page + 1) }
/// }
///
/// for try await shelf in client.pages(Books()) { … }
/// ```
public protocol PagedRequest: Sendable {
    /// The decoded type of a single page.
    associatedtype Page: Sendable

    /// The endpoint of this page. It identifies the page: no endpoint is requested twice in one sequence.
    var endpoint: Endpoint<Page> { get }

    /// Returns the request for the page after the given one, or nil if that was the last page.
    func page(after page: Page) -> Self?

    /// Returns the number of items on a page, which count towards the budget. The default is the length of the page if
    /// it is a sequence, or else 0.
    func itemCount(of page: Page) -> Int
}

extension PagedRequest {
    /// Returns 0, for pages that are not sequences.
    public func itemCount(of page: Page) -> Int { 0 }
}

extension PagedRequest where Page: Sequence {
    /// Returns the number of elements of the page.
    public func itemCount(of page: Page) -> Int { page.reduce(0) { count, _ in count + 1 } }
}

/// The error if a service points to an earlier page, or repeats one, so that its list may not be complete.
public struct RepeatedPages: Error, CustomStringConvertible {
    /// The number of pages that were received.
    public let pages: Int
    /// The number of items on them.
    public let items: Int

    public var description: String {
        "the service's pages form a circle after \(pages) \(pages == 1 ? "page" : "pages") with \(items) items"
    }
}
