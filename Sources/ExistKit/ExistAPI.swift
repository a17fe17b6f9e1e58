import Foundation
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
/// Every call returns a promise of a labeled tuple: the model and the response it was decoded from. A call rejects with
/// ``ExistError``; canceling its promise cancels the request, sends no other, and rejects with
/// `PromiseError.cancelled`. In asynchronous code, use `try await existAPI.user().value`, and ``ExistError/init(_:)``
/// to convert the caught error.
public final class ExistAPI: Sendable {
    /// The kind of a token, which determines the authentication scheme that requests use.
    public enum TokenKind: Sendable {
        /// A token from OAuth2 or from the app's page in the account. Its scopes determine what it allows.
        case bearer
        /// A read-only token obtained with a user name and a password.
        case simple
    }

    /// The attributes fetched by ``attributes(names:days:from:through:)``, and the response.
    public typealias AttributesOutput = (attributes: [Attribute], response: URLResponse)
    /// The page fetched by ``insights(limit:page:from:through:)``, and the response.
    public typealias InsightsOutput = (insights: ExistPage<Insight>, response: URLResponse)
    /// The averages fetched by ``averages(for:includeHistorical:limit:page:from:through:)``, and the response.
    public typealias AveragesOutput = (averages: [Average], response: URLResponse)
    /// The correlations fetched by ``correlations(for:strong:confident:limit:page:)``, and the response.
    public typealias CorrelationsOutput = (correlations: [Correlation], response: URLResponse)
    /// The profile fetched by ``user()``, and the response.
    public typealias UserOutput = (user: User, response: URLResponse)
    /// The result of ``acquire(names:)`` and ``release(names:)``, and the response.
    public typealias AttributeOutput = (attributeResponse: AttributeResponse, response: URLResponse)
    /// The result of ``update(attributes:)`` and ``increment(attributes:)``, and the response.
    public typealias UpdateOutput = (attributeResponse: AttributeUpdateResponse, response: URLResponse)
    /// The result of ``create(_:)`` for each attribute, and the response.
    public typealias CreateOutput = (attributeResponse: AttributeCreateResponse, response: URLResponse)
    /// The attribute fetched by ``history(of:through:)`` with its values, and the response.
    public typealias HistoryOutput = (attribute: Attribute, response: URLResponse)
    /// The tags fetched by ``tags(day:)``, and the response.
    public typealias TagsOutput = (tags: [Attribute], response: URLResponse)
    /// The correlation fetched by ``correlation(between:and:)``, and the response.
    public typealias CorrelationOutput = (correlation: Correlation?, response: URLResponse)
    /// The page fetched by ``page(_:)``, and the response.
    public typealias PageOutput<Item: Decodable & Sendable> = (page: ExistPage<Item>, response: URLResponse)
    /// The items of all pages fetched by ``all(_:)``, and the last response.
    public typealias ItemsOutput<Item: Decodable & Sendable> = (items: [Item], response: URLResponse)

    /// The root URL of Exist itself.
    public static let serviceURL = URL(string: "https://exist.io/") ?? URL(fileURLWithPath: "/")

    /// Up to two retries: if the service is overloaded, the connection is lost, or a 429 specifies a wait.
    public static let defaultRetry = RetryRule.overload

    /// The default options of a client, which include ``defaultRetry``.
    public static let defaultOptions = EndpointClient.Options().with {
        $0.retry = defaultRetry
        $0.bodyLimit = EndpointClient.Options.pageLimit
    }

    /// The number of requests per hour that the service allows for each token, across all clients.
    public static let limit = 300
    package static let limitText = "Exist allows \(limit) requests per hour for each token"

    /// The base URL to which this client sends its requests.
    public let baseURL: URL
    let timeZone: TimeZone
    private let client: EndpointClient
    private var options: EndpointClient.Options { client.options }

    /// Creates a client that authenticates with a token.
    ///
    /// - Parameters:
    ///   - token: The credential. It is never printed.
    ///   - timeout: The time limit for one request, in seconds; overrides the one in the options.
    ///   - kind: The kind of the token.
    ///   - baseURL: The service's root URL, which contains `api/2/`; `https`, or `http` on this machine.
    ///   - timeZone: The time zone in which a `Date` is converted to a day. The default is the device's. Exist itself
    ///     uses the time zone in the user's profile.
    ///   - options: The transport, clock, retry rule, and so on. Reads, `acquire`, and `update` are retried, other
    ///     requests only if they have had no effect.
    public convenience init(
        token: String, timeout: TimeInterval? = nil, kind: TokenKind = .bearer, baseURL: URL = ExistAPI.serviceURL,
        timeZone: TimeZone = .current, options: EndpointClient.Options = ExistAPI.defaultOptions
    ) {
        self.init(
            kind == .bearer ? .bearer(token) : .scheme("Token", token), baseURL: baseURL, timeZone: timeZone,
            options: options.with { $0.timeout = timeout ?? $0.timeout })
    }

    /// Creates a client whose token comes from a source, such as ``ExistTokenSource``, before each request. The client
    /// retains the source unless `hold` says otherwise; see ``init(token:timeout:kind:baseURL:timeZone:options:)``.
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
        client = .exist(baseURL.appendingPathComponent("api/2"), authorizer, options: options)
    }

    private init(_ other: ExistAPI, _ client: EndpointClient) {
        baseURL = other.baseURL
        timeZone = other.timeZone
        self.client = client
    }

    /// Returns this client for one user alone, and a function that returns that user: whenever the token changes, it
    /// asks whose the new one is before it sends anything else. See ``OneOwner``.
    package func ofOneOwner() -> (existAPI: ExistAPI, owner: @Sendable () -> Promise<User>) {
        let one = OneOwner(of: client) {
            $0.value(of: .profile)
        } isSame: {
            ExactText($0.username) == ExactText($1.username)
        }
        return (ExistAPI(self, one.client), { one.owner().mapError(on: nil) { ExistError($0) } })
    }

    var today: ExistDay { ExistDay(options.clock.now(), in: timeZone) }

    /// Sends any endpoint of the service, such as one that this kit has no call for, with the client's token, retries,
    /// and rate limit. Its path is relative to `api/2/`.
    public func send<Response>(_ endpoint: Endpoint<Response>) -> Promise<Decoded<Response>> {
        client.send(endpoint).mapError(on: nil) { ExistError($0) }
    }

    /// The meter of a call that may send several requests.
    var meter: BudgetMeter { client.meter }
    /// The rate limit in the latest response; nil if it announced none.
    package var rateLimit: RateLimit? { client.rateLimit }
    /// The number of requests that were sent.
    package var requestCount: Int { client.requestCount }

    /// Fetches one page and reports undecodable items. Rejects with the client's own error, to which a sequence of pages
    /// adds what it has received before.
    func sendPage<Item>(
        _ endpoint: Endpoint<ExistPage<Item>>, _ meter: BudgetMeter? = nil
    ) -> Promise<Decoded<ExistPage<Item>>> {
        client.send(endpoint, charging: meter).get(on: nil) { decoded in
            self.report(decoded.value.unreadable, of: endpoint.path)
            let attributes = (decoded.value as? ExistPage<Attribute>)?.results ?? []
            for attribute in attributes where !attribute.unreadableValues.isEmpty {
                self.report(attribute.unreadableValues, of: "\(endpoint.path) (\(attribute.name))")
            }
        }
    }

    /// Reports undecodable items of a list, or of the values of one of its attributes.
    func report(_ items: [UnreadableItem], of list: String) { client.report(items, of: list, by: "ExistKit") }

    /// Returns a text of a response, or “…” if it contains a token that was sent.
    package func hide(_ text: String) -> String { client.hide(text) }

    /// A response for a call that sent no request.
    var noResponse: URLResponse {
        URLResponse(url: baseURL, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
    }
}

extension Promise {
    /// Returns a promise that rejects, for a call with an invalid argument.
    static func invalid(_ problem: String) -> Promise { Promise(error: ExistError(invalidArgument: problem)) }
}

extension EndpointClient {
    /// Returns a client for Exist, with plain JSON encoding and advice specific to Exist.
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

/// A name in the service's JSON: the property's name in snake case, unless it has a raw value.
protocol SnakeCaseKey: CodingKey, RawRepresentable where RawValue == String {}

extension SnakeCaseKey {
    var stringValue: String { SnakeCase.name(of: rawValue) }
    var intValue: Int? { nil }
    // Unused, because models are only encoded with these keys.
    init?(stringValue: String) { nil }
    init?(intValue: Int) { nil }
}
