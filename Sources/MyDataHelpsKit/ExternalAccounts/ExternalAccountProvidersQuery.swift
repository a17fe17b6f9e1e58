import PledgeHTTP
import PledgeCoding

/// A question for providers the participant can connect to, ordered by name.
public struct ExternalAccountProvidersQuery: PagedQuery, Equatable {
    /// The number of the first page.
    public static let firstPageNumber = 0

    /// What a word in the name, the postal code, the city or the state begins with; nil for all.
    public var search: String?
    /// Only providers of this kind.
    public var category: ExternalAccountProviderCategory?
    /// How many providers are on a page at most, 1 to 100.
    public let limit: Int
    /// Which page, from 0.
    public private(set) var pageNumber: Int

    /// A question. A limit beyond 1 to 100 is taken as the nearest of them, and a negative page as the first.
    public init(
        search: String? = nil, category: ExternalAccountProviderCategory? = nil, limit: Int = defaultLimit,
        pageNumber: Int = firstPageNumber
    ) {
        self.search = search
        self.category = category
        self.limit = Self.clamp(limit)
        self.pageNumber = max(pageNumber, Self.firstPageNumber)
    }

    /// The same question about the page that follows; nil if that was the last.
    public func page(after page: ExternalAccountProvidersResultPage) -> ExternalAccountProvidersQuery? {
        guard page.pageNumber < Int.max / 200, (page.pageNumber + 1) * limit < page.totalCount else { return nil }
        var next = self
        next.pageNumber = page.pageNumber + 1
        return next
    }
}

/// A page of providers.
public struct ExternalAccountProvidersResultPage: ResultPage, Equatable {
    /// What it is a page of.
    public typealias Element = ExternalAccountProvider
    /// A page as the service sends it: without its number, or, where no size was asked for, as a mere list of all.
    public struct APIResponse: Sendable, Equatable {
        /// The providers, by name.
        public var externalAccountProviders: [ExternalAccountProvider]
        /// How many there are on all pages.
        public var totalExternalAccountProviders: Int
        /// Providers that could not be read.
        public var unreadable: [UnreadableItem]
    }

    /// The providers of this page, by name.
    public var externalAccountProviders: [ExternalAccountProvider]
    /// How many there are on all pages.
    public var totalCount: Int
    /// Which page this is, from 0.
    public var pageNumber: Int
    /// Providers of this page that could not be read.
    public var unreadable: [UnreadableItem]

    /// The providers of this page.
    public var items: [ExternalAccountProvider] { externalAccountProviders }

    /// Makes a page by hand, for tests and previews.
    public init(
        externalAccountProviders: [ExternalAccountProvider], totalCount: Int, pageNumber: Int = 0,
        unreadable: [UnreadableItem] = []
    ) {
        self.externalAccountProviders = externalAccountProviders
        self.totalCount = totalCount
        self.pageNumber = pageNumber
        self.unreadable = unreadable
    }

    /// What the service sent, as the page that was asked for.
    public init(result: APIResponse, query: ExternalAccountProvidersQuery) {
        self.init(
            externalAccountProviders: result.externalAccountProviders,
            totalCount: result.totalExternalAccountProviders, pageNumber: query.pageNumber,
            unreadable: result.unreadable)
    }
}

extension ExternalAccountProvidersResultPage.APIResponse: Readable {
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        if source.kind == .list {
            let list = try source.items(of: ExternalAccountProvider.self)
            (externalAccountProviders, unreadable) = (list.items, list.unreadable)
            totalExternalAccountProviders = list.items.count + list.unreadable.count
            return
        }
        var fields = try source.fields()
        let list = try fields.required("externalAccountProviders").items(of: ExternalAccountProvider.self)
        (externalAccountProviders, unreadable) = (list.items, list.unreadable)
        totalExternalAccountProviders = try fields.int("totalExternalAccountProviders") ?? list.items.count
    }
}
