import Foundation
import PledgeCoding
@_exported import PledgeHTTP

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

    /// The address of MyDataHelps itself.
    public static let serviceURL = URL(string: "https://mydatahelps.org/") ?? URL(fileURLWithPath: "/")

    /// Once more or twice, when the service is overloaded or the line is lost, or after the wait it asks for.
    public static let usualRetry = RetryRule(statuses: [429, 502, 503, 504])

    /// Where this client sends its requests; ends in a slash.
    public let baseURL: URL
    /// The language to ask for, such as `sv-SE`; names of projects, surveys and providers come in it.
    public let languageTag: String
    /// How the client introduces itself.
    public let userAgent: String
    private let options: EndpointClient.Options

    /// How a client goes about its work unless told otherwise: with ``usualRetry``, and introducing the app, this kit and
    /// the device.
    public static let usualOptions = EndpointClient.Options().with {
        $0.retry = usualRetry
        $0.userAgent = UserAgent.current
        $0.bodyLimit = EndpointClient.Options.pageLimit
    }

    /// Makes a client of the service.
    ///
    /// - Parameters:
    ///   - baseURL: the service's root, which may have a path, with or without a slash at its end: `https`, or `http`
    ///     on this machine. MyDataHelps itself unless given.
    ///   - languageTag: the language to ask for; the device's unless given.
    ///   - userAgent: how to introduce oneself, instead of the options'.
    ///   - options: transport, clock, retries and the like. Only what does no more the second time is ever sent again.
    public init(
        baseURL: URL? = nil, languageTag: String? = nil, userAgent: String? = nil,
        options: EndpointClient.Options = MyDataHelpsClient.usualOptions
    ) {
        let tag = LanguageTag.tidy(languageTag ?? LanguageTag.current)
        self.baseURL = (baseURL ?? Self.serviceURL).asBase
        self.languageTag = tag
        self.options = options.with {
            $0.userAgent = userAgent ?? $0.userAgent
            $0.headers["Accept-Language"] = tag
            $0.json = .plain
            $0.findMessage = { BodyMessage.find(in: $0) }
            $0.advise = { [advise = options.advise] in advise($0) ?? MyDataHelpsError.advice($0) }
        }
        self.userAgent = self.options.userAgent
    }

    /// A client for the device's language, as the official SDK makes one.
    ///
    /// - Parameter baseURL: the service's root; MyDataHelps itself unless given.
    public convenience init(baseURL: URL? = nil) {
        self.init(baseURL: baseURL, languageTag: nil)
    }

    var clock: Timekeeper { options.clock }

    func endpointClient(_ authorizer: Authorizer) -> EndpointClient {
        EndpointClient(baseURL: baseURL, authorizer: authorizer, options: options)
    }

    func report(_ unreadable: [UnreadableItem], of list: String) {
        options.report(unreadable, of: list, by: "MyDataHelpsKit")
    }
}

extension MyDataHelpsClient: Discreet {
    public var description: String { "MyDataHelpsClient(\(baseURL.redacted))" }
}
