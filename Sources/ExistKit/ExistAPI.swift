import Foundation
@_exported import PledgeHTTP
import PledgeCoding

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Exist for one user: the owner of the token.
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
/// Every call returns a promise of a labelled tuple: the model, and the response it came in. A call rejects with
/// ``ExistError``; cancelling its promise ends the request, and rejects with `PromiseError.cancelled`. In asynchronous
/// code `try await existAPI.user().value` waits for it, and ``ExistError/init(_:)`` makes what is caught an ``ExistError``.
public final class ExistAPI: Sendable {
    /// What kind of token it is; the service tells them apart by the word before them.
    public enum TokenKind: Sendable {
        /// From OAuth2, or from the app's page in the account: can do what its scopes allow.
        case bearer
        /// From a user name and a password: can only read.
        case simple
    }

    /// What ``attributes(names:days:from:through:)`` promises: the attributes, and the response.
    public typealias AttributesReply = (attributes: [Attribute], response: URLResponse)
    /// What ``insights(limit:pageIndex:from:through:)`` promises: a page, and the response.
    public typealias InsightsReply = (insights: InsightResponse, response: URLResponse)
    /// What ``averages(for:includeHistorical:limit:pageIndex:from:through:)`` promises: the averages, and the response.
    public typealias AveragesReply = (averages: [Average], response: URLResponse)
    /// What ``correlations(for:strong:confident:limit:pageIndex:)`` promises, and the response.
    public typealias CorrelationsReply = (correlations: [Correlation], response: URLResponse)
    /// What ``user()`` promises: the profile, and the response.
    public typealias UserReply = (user: User, response: URLResponse)
    /// What ``acquire(names:)`` and ``release(names:)`` promise.
    public typealias AttributeReply = (attributeResponse: AttributeResponse, response: URLResponse)
    /// What ``update(attributes:)`` and ``increment(attributes:)`` promise.
    public typealias UpdateReply = (attributeResponse: AttributeUpdateResponse, response: URLResponse)
    /// What ``create(_:)`` promises: what became of each attribute, and the response.
    public typealias CreateReply = (attributeResponse: AttributeCreateResponse, response: URLResponse)
    /// What ``history(of:through:)`` promises: the attribute with its values, and the response.
    public typealias HistoryReply = (attribute: Attribute, response: URLResponse)
    /// What ``tags(on:)`` promises: the tags of the day, and the response.
    public typealias TagsReply = (tags: [Attribute], response: URLResponse)
    /// What ``correlation(between:and:)`` promises: the correlation, and the response.
    public typealias CorrelationReply = (correlation: Correlation?, response: URLResponse)
    /// What ``page(_:)`` promises: the page, and the response.
    public typealias PageReply<Item: Decodable & Sendable> = (page: ExistPage<Item>, response: URLResponse)
    /// What ``all(_:)`` promises: the items of all pages, and the last response.
    public typealias ItemsReply<Item: Decodable & Sendable> = (items: [Item], response: URLResponse)

    /// The address of Exist itself.
    public static let serviceURL = URL(string: "https://exist.io/") ?? URL(fileURLWithPath: "/")

    /// Once more or twice, when the service is overloaded or the line is lost, or after the wait it asks for.
    public static let usualRetry = RetryRule(statuses: [429, 502, 503, 504])

    /// How a client goes about its work unless told otherwise: with ``usualRetry``.
    public static let usualOptions = EndpointClient.Options().with {
        $0.retry = usualRetry
        $0.bodyLimit = EndpointClient.Options.pageLimit
    }

    /// How many items the service takes in one write.
    static let batchLimit = 35
    /// How many days of values the service gives at once.
    static let windowLimit = 31

    /// How many days of values one call may ask for: each month is a request, of 300 an hour.
    static let longestSpan = 3660

    /// Where this client sends its requests.
    public let baseURL: URL
    let timeZone: TimeZone
    private let client: EndpointClient
    private var options: EndpointClient.Options { client.options }

    /// Makes a client with a token.
    ///
    /// - Parameters:
    ///   - token: the credential. It is never printed.
    ///   - timeout: seconds for one request, instead of the options'.
    ///   - kind: what kind of token it is.
    ///   - baseURL: the service's root, under which `api/2/` lies; `https`, or `http` on this machine.
    ///   - timeZone: whose days a `Date` is turned into; the device's unless given. Exist itself goes by the zone in
    ///     the user's profile.
    ///   - options: transport, clock, retries and the like. Only reads, `acquire` and `update` are ever sent again.
    public convenience init(
        token: String, timeout: TimeInterval? = nil, kind: TokenKind = .bearer, baseURL: URL = ExistAPI.serviceURL,
        timeZone: TimeZone = .current, options: EndpointClient.Options = ExistAPI.usualOptions
    ) {
        self.init(
            kind == .bearer ? .bearer(token) : .scheme("Token", token), baseURL, timeZone,
            options.with { $0.timeout = timeout ?? $0.timeout })
    }

    /// A client whose token comes from a source, such as ``ExistTokenSource``, and may change; see
    /// ``init(token:timeout:kind:baseURL:timeZone:options:)`` for the rest.
    ///
    /// - Parameters:
    ///   - source: asked before each request.
    ///   - hold: whether this client keeps the source alive.
    ///   - baseURL: the service's root, under which `api/2/` lies.
    ///   - timeZone: the device's zone, which decides what day it is.
    ///   - options: transport, clock, retries and the like.
    public convenience init(
        source: any TokenSource, hold: Authorizer.Hold = .strong, baseURL: URL = ExistAPI.serviceURL,
        timeZone: TimeZone = .current, options: EndpointClient.Options = ExistAPI.usualOptions
    ) {
        self.init(.source(source, hold: hold), baseURL, timeZone, options)
    }

    private init(_ authorizer: Authorizer, _ baseURL: URL, _ timeZone: TimeZone, _ options: EndpointClient.Options) {
        self.baseURL = baseURL
        self.timeZone = timeZone
        client = .exist(baseURL.appendingPathComponent("api/2", isDirectory: true), authorizer, options: options)
    }

    /// Today on the device.
    var today: ExistDay { ExistDay(options.clock.now(), in: timeZone) }

    func day(_ date: Date?) -> ExistDay? {
        date.map { ExistDay($0, in: timeZone) }
    }

    package func send<Response>(_ endpoint: Endpoint<Response>) -> Promise<Answer<Response>> {
        client.send(endpoint).mapError(on: nil) { ExistError($0) }
    }

    /// Sends for a list, and reports what of it could not be read.
    func sendPage<Item>(_ endpoint: Endpoint<ExistPage<Item>>) -> Promise<Answer<ExistPage<Item>>> {
        send(endpoint).get(on: nil) { answer in
            self.report(answer.value.unreadable, of: answer.reply)
            for attribute in answer.value.results as? [Attribute] ?? [] {
                self.report(attribute.unreadableValues, of: answer.reply)
            }
        }
    }

    /// Tells of items that could not be read.
    func report(_ items: [UnreadableItem], of reply: HTTPReply) {
        // Taking an address apart costs more than reading a value, and hardly ever is there something to tell.
        guard !items.isEmpty else { return }
        let path = String(reply.url.path.dropFirst(client.baseURL.path.count))
        let list = path.hasPrefix("/") ? String(path.dropFirst()) : path
        options.report(items, of: list, by: "ExistKit")
    }

    /// A response for a call that had nothing to send.
    var noResponse: URLResponse {
        URLResponse(url: baseURL, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
    }
}

extension EndpointClient {
    /// A client for Exist, with its own way to write JSON and its own advice.
    static func exist(_ baseURL: URL, _ authorizer: Authorizer = .none, options: Options) -> EndpointClient {
        EndpointClient(
            baseURL: baseURL, authorizer: authorizer,
            options: options.with { change in
                change.json = .plain
                change.advise = { [advise = options.advise] in advise($0) ?? ExistError.Kind($0).advice }
            })
    }
}

extension ExistAPI: Discreet {
    /// The base address; never the token.
    public var description: String { "ExistAPI(\(baseURL.redacted))" }
}
