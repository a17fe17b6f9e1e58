import Foundation
import Pledge
import PledgeCoding
import PledgeHTTP

extension ParticipantSession {
    /// Fetches a page of available providers, ordered by name. `GET api/v1/delegated/externalaccountproviders`
    ///
    /// The variant with a completion handler fetches all providers at once, and ignores the limit and the page number
    /// of the query. Version 1 of the official SDK does the same.
    public func queryExternalAccountProviders(
        _ query: ExternalAccountProvidersQuery
    ) -> Promise<ExternalAccountProvidersResultPage> { page(query) }
    public func queryExternalAccountProviders(
        _ query: ExternalAccountProvidersQuery
    ) async throws(MyDataHelpsError) -> ExternalAccountProvidersResultPage { try await page(query) }
    public func queryExternalAccountProviders(
        _ query: ExternalAccountProvidersQuery, completion: @escaping Completion<[ExternalAccountProvider]>
    ) { deliver(call(query.endpoint(pageSize: nil)).map(on: nil) { $0.externalAccountProviders }, to: completion) }

    /// Starts connecting the participant to a provider. `POST api/v1/delegated/externalaccountproviders/<id>/connect`
    ///
    /// Open the returned authorization in a browser. At the end, the browser redirects to `finalRedirectURL`. This URL
    /// must be absolute, and must open your app: it is a universal link, or it has a custom scheme. The URL must also
    /// be on MyDataHelps's list of URLs that your project may use.
    ///
    /// Each call starts another authorization. So the kit doesn't repeat the request if the service may have received
    /// it.
    public func connectExternalAccount(
        providerID: ExternalAccountProvider.ID, finalRedirectURL: URL
    ) -> Promise<ExternalAccountAuthorization> { call(connecting(providerID, finalRedirectURL)) }
    public func connectExternalAccount(
        providerID: ExternalAccountProvider.ID, finalRedirectURL: URL
    ) async throws(MyDataHelpsError) -> ExternalAccountAuthorization {
        try await value(of: call(connecting(providerID, finalRedirectURL)))
    }
    public func connectExternalAccount(
        provider: ExternalAccountProvider, finalRedirectURL: URL,
        completion: @escaping Completion<ExternalAccountAuthorization>
    ) {
        let authorization = call(connecting(provider.id, finalRedirectURL))
        let named = authorization.map(on: nil) { authorization in
            var authorization = authorization
            authorization.provider = provider
            return authorization
        }
        deliver(named, to: completion)
    }
    private func connecting(
        _ id: ExternalAccountProvider.ID, _ finalRedirectURL: URL
    ) -> Endpoint<ExternalAccountAuthorization> {
        .connect(id, finalRedirectURL, client.options.plainHTTPHosts)
    }
}

extension Endpoint where Response == ExternalAccountAuthorization {
    /// Returns the endpoint that starts an authorization. It is not repeatable, because each request starts another
    /// authorization.
    static func connect(
        _ id: ExternalAccountProvider.ID, _ finalRedirectURL: URL, _ plainHTTPHosts: Set<String>
    ) -> Endpoint {
        Endpoint(
            .post, "api/v1/delegated/externalaccountproviders/\(id)/connect",
            query: ["finalRedirectPath": finalRedirectURL.absoluteString], isRepeatable: false
        ) { response, json in
            let text = try response.json(String.self, by: json)
            // The app opens this URL in a browser in which the participant may be signed in, so the URL must be secure.
            guard let url = URL(string: text), url.mayCarrySecrets(trusting: plainHTTPHosts) else {
                throw UnreadableResponse.unexpected(path: "", problem: "it is not the URL of a secure sign-in page")
            }
            return ExternalAccountAuthorization(
                providerID: id, authorizationURL: url, finalRedirectURL: finalRedirectURL)
        }
    }
}

/// A query for the providers that the participant can connect to, ordered by name.
public struct ExternalAccountProvidersQuery: PagedQuery, Equatable {
    /// The number of the first page.
    public static let firstPageNumber = 0

    /// The beginning of a word in the provider's name, postal code, city, or state; nil for all providers.
    public var search: String?
    /// The category of the providers; nil for all categories.
    public var category: ExternalAccountProviderCategory?
    public let limit: Int
    /// The page number, starting at 0.
    public var pageNumber: Int { position.number }
    var position: NumberedPage

    /// Creates a query. A limit outside 1 to 100 is clamped to that range. A negative page number becomes 0.
    public init(
        search: String? = nil, category: ExternalAccountProviderCategory? = nil, limit: Int = defaultLimit,
        pageNumber: Int = firstPageNumber
    ) {
        self.search = search
        self.category = category
        self.limit = Self.clamp(limit)
        position = NumberedPage(pageNumber)
    }

    /// Returns the query for the next page with the same filters, or nil if the given page was the last.
    ///
    /// A page is the last if it is empty. A page is also the last if the number of providers so far equals the number
    /// that the service announced.
    public func page(after page: ExternalAccountProvidersResultPage) -> ExternalAccountProvidersQuery? {
        query(after: page)
    }

    /// The request: `GET api/v1/delegated/externalaccountproviders`.
    ///
    /// If the page has the same items as the page before it, the service must have ignored the page number. The
    /// response then counts as unreadable.
    public var endpoint: Endpoint<ExternalAccountProvidersResultPage> { endpoint(pageSize: limit) }

    /// Returns the request with the given page size. If the page size is nil, the service sends all providers at once.
    func endpoint(pageSize: Int?) -> Endpoint<ExternalAccountProvidersResultPage> {
        let query: QueryItems = [
            "search": search, "category": category, "pageSize": pageSize,
            "pageNumber": pageSize.map { _ in pageNumber },
        ]
        return Endpoint(.get, "api/v1/delegated/externalaccountproviders", query: query) { response, json in
            var page = Page(result: try response.json(Page.APIResponse.self, by: json), query: self)
            page.unreadable += try missing(after: page)
            return page
        }
    }
}

extension ExternalAccountProvidersQuery: NumberedQuery {
    func total(of page: ExternalAccountProvidersResultPage) -> Int? { page.announced }
    func key(of item: ExternalAccountProvider) -> HashKey { HashKey(and: item.id.value) }
}

/// A page of external account providers.
public struct ExternalAccountProvidersResultPage: ResultPage, Equatable {
    /// The type of the items on the page.
    public typealias Element = ExternalAccountProvider
    /// A page in the form in which the service sends it. It does not contain the page's number. If the request has no
    /// page size, the service sends an array of all providers instead.
    public struct APIResponse: Codable, Sendable, Equatable {
        /// The providers, ordered by name.
        public var externalAccountProviders: [ExternalAccountProvider]
        /// The total number of providers on all pages; -1 if the service does not report it.
        public var totalExternalAccountProviders: Int
        /// The providers that could not be decoded.
        public var unreadable: [UnreadableItem]

        private enum CodingKeys: CodingKey { case externalAccountProviders, totalExternalAccountProviders }
    }

    /// The providers of this page, ordered by name.
    public var externalAccountProviders: [ExternalAccountProvider]
    /// The number of providers on all pages.
    ///
    /// If the service does not report it, this is the number of providers up to this page. One is added if the page is
    /// full, because another page may follow.
    public var totalCount: Int
    /// The number of this page, starting at 0.
    public var pageNumber: Int
    public var unreadable: [UnreadableItem]
    /// The number of providers on all pages; nil if the service does not report it.
    fileprivate var announced: Int?

    public var items: [ExternalAccountProvider] { externalAccountProviders }

    /// Creates a page for use in tests and previews.
    public init(
        externalAccountProviders: [ExternalAccountProvider], totalCount: Int, pageNumber: Int = 0,
        unreadable: [UnreadableItem] = []
    ) {
        self.externalAccountProviders = externalAccountProviders
        self.totalCount = totalCount
        self.pageNumber = pageNumber
        self.unreadable = unreadable
        announced = totalCount
    }

    /// Creates a page from a response and the query that requested it.
    public init(result: APIResponse, query: ExternalAccountProvidersQuery) {
        let received = result.externalAccountProviders.count + result.unreadable.count
        let known = query.pageNumber * query.limit + received + (received >= query.limit ? 1 : 0)
        let total = result.totalExternalAccountProviders
        self.init(
            externalAccountProviders: result.externalAccountProviders, totalCount: total < 0 ? known : total,
            pageNumber: query.pageNumber,
            unreadable: result.unreadable)
        if total < 0 { announced = nil }
    }
}

extension ExternalAccountProvidersResultPage.APIResponse: Readable {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        if source.kind == .list {
            let list = try source.items(of: ExternalAccountProvider.self)
            externalAccountProviders = list.items
            unreadable = list.unreadable
            totalExternalAccountProviders = list.items.count + list.unreadable.count
            return
        }
        var fields = try source.fields()
        let list = try fields.required("externalAccountProviders").items(of: ExternalAccountProvider.self)
        externalAccountProviders = list.items
        unreadable = list.unreadable
        totalExternalAccountProviders = fields.int("totalExternalAccountProviders") ?? -1
    }
}

/// An external provider of the participant's data, such as a clinic or a device manufacturer.
public struct ExternalAccountProvider: Codable, Sendable, Equatable, Identifiable {
    /// A unique identifier for a provider. It is not the identifier of an account.
    public typealias ID = ScopedIdentifier<ExternalAccountProvider, Int>

    /// The identifier of the provider.
    public var id: ID
    /// The name of the provider.
    public var name: String
    /// The category of the provider.
    public var category: ExternalAccountProviderCategory
    /// The address of the logo, as the service sent it. It may not be a valid URL.
    public var logoLink: String?
    /// The URL of the logo; nil if ``logoLink`` is missing or is not a usable URL. Loading the logo requires no
    /// authentication.
    public var logoURL: URL? { URL(written: logoLink) }
    /// Whether participants can connect to the provider; nil if the service does not specify it.
    public var isEnabled: Bool?
    /// The service's message about the provider, such as `Unavailable`.
    public var message: String?
    /// The identifier of the provider that replaces this provider; nil if there is none.
    public var successorID: ID?
    /// A provider that is related to this provider, as the service sent it.
    public var relatedProvider: JSONValue?
    /// The organization that the provider is part of, as the service sent it.
    public var managingOrganization: JSONValue?

    /// Creates a provider for use in tests and previews.
    public init(
        id: ID, name: String, category: ExternalAccountProviderCategory = .provider, logoLink: String? = nil,
        isEnabled: Bool? = nil, message: String? = nil, successorID: ID? = nil
    ) {
        self.id = id
        self.name = name
        self.category = category
        self.logoLink = logoLink
        self.isEnabled = isEnabled
        self.message = message
        self.successorID = successorID
    }

    private enum CodingKeys: String, CodingKey {
        case id, name, category, message, successorID, relatedProvider, managingOrganization
        case logoLink = "logoUrl"
        case isEnabled = "enabled"
    }
}

/// The category of an external account provider.
public struct ExternalAccountProviderCategory: ServiceWord {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// A clinic, hospital or practice.
    public static let provider = ExternalAccountProviderCategory(rawValue: "Provider")
    /// A health insurer or health plan.
    public static let healthPlan = ExternalAccountProviderCategory(rawValue: "Health Plan")
    /// A manufacturer of health devices.
    public static let deviceManufacturer = ExternalAccountProviderCategory(rawValue: "Device Manufacturer")
}

extension ExternalAccountProvider: Readable {
    /// Decodes a provider. A missing or empty address of the logo becomes nil.
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        id = ID(try fields.required("id").lenientInt())
        name = try fields.required("name").lenientText()
        category = fields.word("category") ?? ExternalAccountProviderCategory(rawValue: "")
        logoLink = fields.nonEmptyText("logoUrl")
        isEnabled = fields.flag("enabled")
        message = fields.text("message")
        successorID = fields.int("successorID").map { ID($0) }
        relatedProvider = fields.read(JSONValue.self, "relatedProvider")
        managingOrganization = fields.read(JSONValue.self, "managingOrganization")
    }
}
