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
}

/// An error thrown when the service points to the same page a second time.
public struct PagesInACircle: Error, CustomStringConvertible {
    public var description: String { "the service's pages form a circle" }
}
