import Foundation
import Pledge
import PledgeCoding
@_exported import PledgeHTTP

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A client for Exist that acts on behalf of one user, the owner of the token.
///
/// ```swift
/// let existAPI = ExistAPI(token: token)
/// existAPI.attributes(names: ["steps", "mood"]).done { attributes, response in
///     print(attributes.map(\.label))
/// }.catch { error in
///     print(error)
/// }
/// ```
///
/// Every call returns a promise of a labeled tuple, which contains the model and the response that the model was
/// decoded from. If a call fails, its promise rejects with ``ExistError``.
///
/// To cancel a call, cancel its promise. The client then cancels the current request and sends no further requests, and
/// the promise rejects with `PromiseError.cancelled`.
///
/// In an async function, use `try await existAPI.user().value`. Convert the error that you catch with
/// ``ExistError/init(_:)``.
public final class ExistAPI: Sendable {
    /// The kind of a token. It determines the authentication scheme of the requests.
    public enum TokenKind: Sendable {
        /// A token from OAuth2, or from your app's page on exist.io. Its scopes determine what it allows.
        case bearer
        /// A read-only token that was obtained with a user name and a password.
        case simple
    }

    /// The attributes that ``attributes(names:days:from:through:)`` fetches, and the response.
    public typealias AttributesOutput = (attributes: [Attribute], response: URLResponse)
    /// The page that ``insights(limit:page:from:through:)`` fetches, and the response.
    public typealias InsightsOutput = (insights: ExistPage<Insight>, response: URLResponse)
    /// The averages that ``averages(for:includeHistorical:limit:page:from:through:)`` fetches, and the response.
    public typealias AveragesOutput = (averages: [Average], response: URLResponse)
    /// The correlations that ``correlations(for:strong:confident:limit:page:)`` fetches, and the response.
    public typealias CorrelationsOutput = (correlations: [Correlation], response: URLResponse)
    /// The profile that ``user()`` fetches, and the response.
    public typealias UserOutput = (user: User, response: URLResponse)
    /// The result of ``acquire(names:)`` and ``release(names:)``, and the response.
    public typealias AttributeOutput = (attributeResponse: AttributeResponse, response: URLResponse)
    /// The result of ``update(attributes:)`` and ``increment(attributes:)``, and the response.
    public typealias UpdateOutput = (attributeResponse: AttributeUpdateResponse, response: URLResponse)
    /// The result that ``create(_:)`` has for each attribute, and the response.
    public typealias CreateOutput = (attributeResponse: AttributeCreateResponse, response: URLResponse)
    /// The attribute that ``history(of:through:)`` fetches, with its values, and the response.
    public typealias HistoryOutput = (attribute: Attribute, response: URLResponse)
    /// The tags that ``tags(day:)`` fetches, and the response.
    public typealias TagsOutput = (tags: [Attribute], response: URLResponse)
    /// The correlation that ``correlation(between:and:)`` fetches, and the response.
    public typealias CorrelationOutput = (correlation: Correlation?, response: URLResponse)
    /// The page that ``page(_:)`` fetches, and the response.
    public typealias PageOutput<Item: Decodable & Sendable> = (page: ExistPage<Item>, response: URLResponse)
    /// The items of all pages that ``all(_:)`` fetches, and the last response.
    public typealias ItemsOutput<Item: Decodable & Sendable> = (items: [Item], response: URLResponse)

    /// The root URL of Exist itself.
    public static let serviceURL = URL(string: "https://exist.io/") ?? URL(fileURLWithPath: "/")

    /// The default options of a client.
    ///
    /// The retry rule allows at most two retries of a request: if the service is overloaded, if the connection is lost,
    /// or if a response with status 429 says how long to wait.
    public static let defaultOptions = EndpointClient.Options().with {
        $0.retry = .overload
        $0.bodyLimit = EndpointClient.Options.pageLimit
    }

    /// The number of requests per hour that the service allows for each token. All clients with the same token share
    /// it.
    public static let limit = 300
    package static let limitText = "Exist allows \(limit) requests per hour for each token"

    /// The base URL to which this client sends its requests.
    public let baseURL: URL
    let timeZone: TimeZone
    private let endpoints: EndpointClient
    private var options: EndpointClient.Options { endpoints.options }

    /// Creates a client that authenticates with a token.
    ///
    /// - Parameters:
    ///   - token: The user's token. It is never printed.
    ///   - timeout: The time limit for one request, in seconds; nil for the time limit in `options`.
    ///   - kind: The kind of the token.
    ///   - baseURL: The root URL of the service, without `api/2/`. It must be an `https` URL, or an `http` URL on this
    ///     machine.
    ///   - timeZone: The time zone in which the client determines the current day and converts a `Date` to a day. The
    ///     default is the device's time zone. Exist itself uses the time zone in the user's profile.
    ///   - options: The transport, the clock, the retry rule, and other settings. The client retries reads, `acquire`,
    ///     and `update`. It retries other requests only if they have had no effect.
    public convenience init(
        token: String, timeout: TimeInterval? = nil, kind: TokenKind = .bearer, baseURL: URL = ExistAPI.serviceURL,
        timeZone: TimeZone = .current, options: EndpointClient.Options = ExistAPI.defaultOptions
    ) {
        self.init(
            kind == .bearer ? .bearer(token) : .scheme("Token", token), baseURL: baseURL, timeZone: timeZone,
            options: options.with { $0.timeout = timeout ?? $0.timeout })
    }

    /// Creates a client that gets a token from a source, such as ``ExistTokenSource``, before each request.
    ///
    /// The client retains the source, unless you pass `.weak` as `hold`. For the other parameters, see
    /// ``init(token:timeout:kind:baseURL:timeZone:options:)``.
    public convenience init(
        source: any TokenSource, hold: Authorizer.Hold = .strong, baseURL: URL = ExistAPI.serviceURL,
        timeZone: TimeZone = .current, options: EndpointClient.Options = ExistAPI.defaultOptions
    ) {
        self.init(.source(source, hold: hold), baseURL: baseURL, timeZone: timeZone, options: options)
    }

    package init(
        _ authorizer: Authorizer, baseURL: URL, timeZone: TimeZone = .current, options: EndpointClient.Options
    ) {
        self.baseURL = baseURL
        self.timeZone = timeZone
        endpoints = .exist(baseURL.appendingPathComponent("api/2"), authorizer, options: options)
    }

    private init(_ other: ExistAPI, _ endpoints: EndpointClient) {
        baseURL = other.baseURL
        timeZone = other.timeZone
        self.endpoints = endpoints
    }

    /// Returns a copy of this client that acts for one user only, and a function that returns this user.
    ///
    /// Whenever the token changes, the copy first asks the service which user the new token belongs to. The copy
    /// refuses the token of another user. See ``OneOwner``.
    package func ofOneOwner() -> (existAPI: ExistAPI, owner: @Sendable () -> Promise<User>) {
        let one = OneOwner(of: endpoints) {
            $0.value(of: .profile)
        } isSame: {
            ExactText($0.username) == ExactText($1.username)
        }
        return (ExistAPI(self, one.client), { one.owner().mapError(on: nil) { ExistError($0) } })
    }

    var today: ExistDay { ExistDay(options.clock.now(), in: timeZone) }

    /// Sends any endpoint of the service with the client's token, retries, and rate limit. Use it for an endpoint that
    /// this kit has no call for.
    ///
    /// The endpoint's path is relative to `api/2/`.
    public func send<Response>(_ endpoint: Endpoint<Response>) -> Promise<Decoded<Response>> {
        fetch(endpoint).mapError(on: nil) { ExistError($0) }
    }

    /// Returns the meter that counts the requests of one call, for a call that sends several requests.
    func makeMeter() -> BudgetMeter { endpoints.makeMeter() }
    /// The rate limit in the service's most recent response; nil if the service never announced one.
    package var rateLimit: RateLimit? { endpoints.rateLimit }
    /// The number of requests that this client has sent.
    package var requestCount: Int { endpoints.requestCount }

    /// Sends an endpoint, and reports the items that could not be decoded.
    ///
    /// The promise rejects with the error of the underlying client, and not with ``ExistError``. A sequence of pages
    /// adds to this error the numbers of pages and items that it received before.
    private func fetch<Response>(
        _ endpoint: Endpoint<Response>, charging meter: BudgetMeter? = nil
    ) -> Promise<Decoded<Response>> {
        endpoints.send(endpoint, charging: meter).get(on: nil) { decoded in
            self.report((decoded.value as? any ItemResponse)?.unreadable ?? [], of: endpoint.path)
            let attributes = (decoded.value as? ExistPage<Attribute>)?.results ?? []
            for attribute in attributes where !attribute.unreadableValues.isEmpty {
                self.report(attribute.unreadableValues, of: "\(endpoint.path) (\(attribute.name))")
            }
        }
    }

    /// Returns the pages of a list.
    ///
    /// - Parameter meter: The meter of the call, if the call sends other requests as well; nil to use a new meter.
    func pages<Item>(
        _ query: ExistQuery<Item>, charging meter: BudgetMeter?
    ) -> PageSequence<ExistQuery<Item>> {
        PageSequence(query, meter: meter ?? self.makeMeter(), failure: { ExistError($0) }) {
            self.fetch($0.endpoint, charging: $1)
        }
    }

    /// Reports items that could not be decoded. They are items of a list, or values of an attribute in the list.
    func report(_ items: [UnreadableItem], of list: String) { endpoints.report(items, of: list, by: "ExistKit") }

    /// Returns a text from a response, or “…” if the text contains a token that the client sent.
    package func hide(_ text: String) -> String { endpoints.hide(text) }

    /// The response of a call that sent no request.
    var noResponse: URLResponse {
        URLResponse(url: baseURL, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
    }
}

// MARK: - Lists

extension ExistAPI {
    /// Fetches one page of a list; see ``ExistQuery``.
    public func page<Item>(_ query: ExistQuery<Item>) -> Promise<PageOutput<Item>> {
        send(query.endpoint).map(on: nil) { (page: $0.value, response: $0.response.urlResponse) }
    }

    /// Fetches all items of a list, page by page, beginning with the query's page.
    ///
    /// If the list changes while it is read, the service may send an item twice; the result contains it once. If the
    /// service sends fewer items than it announced, the client reports the missing items to `onUnreadable` of its
    /// options.
    public func all<Item>(_ query: ExistQuery<Item>) -> Promise<ItemsOutput<Item>> {
        allPages(query).map(on: nil) { (items: $0.value.results, response: $0.response.urlResponse) }
    }

    /// Returns a sequence of a list's pages. Each page is requested only when it is needed.
    ///
    /// ```swift
    /// for try await page in existAPI.pages(.values(of: "weight")) { … }
    /// ```
    public func pages<Item>(_ query: ExistQuery<Item>) -> PageSequence<ExistQuery<Item>> {
        pages(query, charging: nil)
    }

    /// Fetches all pages, and merges them into one page without duplicate items.
    ///
    /// - Parameter meter: The meter of the call, if the call sends other requests as well; nil to use a new meter.
    package func allPages<Item>(
        _ query: ExistQuery<Item>, charging meter: BudgetMeter? = nil
    ) -> Promise<Decoded<ExistPage<Item>>> {
        let fetched = Locked<[Decoded<ExistPage<Item>>]>([])
        return pages(query, charging: meter).forEach { page in
            fetched.withLock { $0.append(page) }
            return true
        }.map(on: nil) {
            // There is at least one page, because the promise rejects if the first page fails.
            let pages = fetched.withLock { $0 }
            var all = pages[pages.count - 1]
            all.value.previous = pages[0].value.previous
            var seen: Set<HashKey> = []
            all.value.results = query.unseen(pages.flatMap(\.value.results), &seen)
            all.value.unreadable = pages.flatMap(\.value.unreadable)
            return all
        }
    }

    /// Fetches only the requested page if a limit or a page number is given; otherwise, fetches all pages.
    func pageOrAll<Item>(
        _ query: ExistQuery<Item>, _ limit: Int?, _ page: Int?
    ) -> Promise<Decoded<ExistPage<Item>>> {
        limit == nil && page == nil ? allPages(query) : send(query.endpoint)
    }
}

/// A response that consists of items, each of which is decoded on its own.
protocol ItemResponse {
    /// The items that could not be decoded.
    var unreadable: [UnreadableItem] { get }
}

extension ExistPage: ItemResponse {}
extension WriteResult: ItemResponse {}

extension Promise {
    /// Returns a promise that rejects because an argument of the call is invalid.
    static func invalid(_ problem: String) -> Promise { Promise(error: ExistError(invalidArgument: problem)) }
}

extension EndpointClient {
    /// Returns a client for Exist. It encodes plain JSON, and its errors contain advice specific to Exist.
    static func exist(_ baseURL: URL, _ authorizer: Authorizer = .none, options: Options) -> EndpointClient {
        EndpointClient(
            baseURL: baseURL, authorizer: authorizer,
            options: options.with { change in
                change.json = .plain
                change.advise = { [advise = options.advise] in advise($0) ?? ExistError.advice($0) }
            })
    }
}

extension ExistAPI: Redacted {
    /// The base URL of the client, but never the token.
    public var description: String { "ExistAPI(\(baseURL.redacted))" }
}
