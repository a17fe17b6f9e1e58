import Foundation
@_exported import Pledge
@_exported import PledgeHTTP
@_exported import PledgeCoding

/// How to reach MyDataHelps. It stands for no participant: that is what a ``ParticipantSession`` is for.
///
/// ```swift
/// let client = MyDataHelpsClient()
/// let session = ParticipantSession(client: client, accessToken: ParticipantAccessToken(token: token))
/// session.getParticipantInfo().done { participant in
///     print(participant.demographics.firstName ?? "Hello")
/// }.catch { error in
///     print(error)
/// }
/// ```
public final class MyDataHelpsClient: Sendable {
    /// The version of the official SDK whose interface this one has.
    public static let SDKVersion = "2.0.0"

    /// Where MyDataHelps lives.
    public static let serviceURL = URL(string: "https://mydatahelps.org/") ?? URL(fileURLWithPath: "/")

    /// Once more or twice, when the service is overloaded or the line is lost, or after the wait it asks for.
    public static let usualRetry = RetryRule(statuses: [429, 502, 503, 504])

    /// Where this client sends its requests; ends in a slash.
    public let baseURL: URL
    /// The language to ask for, such as `sv-SE`; names of projects, surveys and providers come in it.
    public let languageTag: String
    /// How the client introduces itself.
    public let userAgent: String
    let timekeeper: Timekeeper
    private let transport: any HTTPTransport
    private let options: EndpointClient.Options
    private let report: @Sendable (_ list: String, _ item: UnreadableItem) -> Void

    /// A client.
    ///
    /// - Parameters:
    ///   - baseURL: the service's root, which may have a path, with or without a slash at its end: `https`, or `http`
    ///     on this machine. MyDataHelps itself unless given.
    ///   - languageTag: the language to ask for; the device's unless given.
    ///   - userAgent: how to introduce oneself; the app, this kit and the device unless given.
    ///   - timeout: seconds for one request.
    ///   - transport: what carries the requests.
    ///   - retry: when to send a request again; only what does no more the second time ever is.
    ///   - governor: spaces requests, so that a batch stays within the hourly limit.
    ///   - timekeeper: the clock.
    ///   - onUnreadable: told of items in a reply that could not be read: the list's name, and where and why. They are
    ///     also in the page's `unreadable`. By default they are logged.
    public init(
        baseURL: URL? = nil, languageTag: String? = nil, userAgent: String? = nil, timeout: TimeInterval = 30,
        transport: any HTTPTransport = StandardTransport.shared, retry: RetryRule = MyDataHelpsClient.usualRetry,
        governor: RateGovernor? = nil, timekeeper: Timekeeper = .live,
        onUnreadable: (@Sendable (_ list: String, _ item: UnreadableItem) -> Void)? = nil
    ) {
        self.baseURL = Self.root(baseURL ?? Self.serviceURL)
        self.languageTag = LanguageTag.tidy(languageTag ?? LanguageTag.current)
        self.userAgent = userAgent ?? UserAgent.current
        self.timekeeper = timekeeper
        self.transport = transport
        var options = EndpointClient.Options()
        options.timeout = timeout
        options.retry = retry
        options.governor = governor
        options.userAgent = self.userAgent
        options.headers = ["Accept-Language": self.languageTag]
        options.timekeeper = timekeeper
        options.findMessage = { BodyMessage.find(in: $0) }
        self.options = options
        report =
            onUnreadable ?? { list, item in
                PromiseConfiguration.log(.note("MyDataHelpsKit left out of \(list) what it could not read: \(item)"))
            }
    }

    /// Without query and fragment, and with a slash at the end.
    private static func root(_ url: URL) -> URL {
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return url }
        parts.query = nil
        parts.fragment = nil
        if !parts.percentEncodedPath.hasSuffix("/") { parts.percentEncodedPath += "/" }
        return parts.url ?? url
    }

    func endpointClient(_ authorizer: Authorizer) -> EndpointClient {
        EndpointClient(baseURL: baseURL, transport: transport, authorizer: authorizer, options: options)
    }

    func note(_ unreadable: [UnreadableItem], of list: String) {
        for item in unreadable { report(list, item) }
    }
}

extension MyDataHelpsClient: CustomStringConvertible, CustomReflectable {
    /// The base address.
    public var description: String { "MyDataHelpsClient(\(baseURL.redacted))" }

    /// The same for `dump`.
    public var customMirror: Mirror { Mirror(self, children: ["baseURL": baseURL.redacted]) }
}
