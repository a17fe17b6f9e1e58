/// A request for one page of an answer, which knows the request for the next.
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
    /// What one answer is.
    associatedtype Page: Sendable

    /// The call as a value. It tells this page from the others: nothing is asked for twice in one walk.
    var endpoint: Endpoint<Page> { get }

    /// The same request for the page that follows; nil if that was the last.
    func page(after page: Page) -> Self?
}

/// The service pointed to a page for the second time.
public struct PagesInACircle: Error, CustomStringConvertible {
    public var description: String { "the service's pages go round in a circle" }
}
