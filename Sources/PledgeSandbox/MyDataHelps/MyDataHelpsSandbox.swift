import Foundation

/// A simulation of the participant API of MyDataHelps, with some weeks of realistic data that is the same on every run.
///
///     let sandbox = try MyDataHelpsSandbox.start()
///     defer { sandbox.stop() }
///     // A client of MyDataHelps with `sandbox.baseURL` and `sandbox.token` now works without the internet.
///
/// Stored device data can be read back and updated, survey results can be deleted once, accounts change their status,
/// tokens expire, and every response includes the number of remaining requests. Where the documentation is silent, the
/// responses are plausible guesses.
public final class MyDataHelpsSandbox: Sendable {
    /// A closure that verifies a service account's signature, given the signed bytes and the signature.
    public typealias SignatureCheck = @Sendable (_ signed: Data, _ signature: Data) -> Bool

    /// A participant access token that does not expire.
    public let token: String
    /// The internal ID of the participant the data belongs to.
    public let participantID = ParticipantBackend.participantID
    /// The project's identifier for the participant.
    public let participantIdentifier = ParticipantBackend.participantIdentifier
    /// The internal ID of the project.
    public let projectID = ParticipantBackend.projectID
    /// The service account that can request tokens.
    public let serviceAccount: String

    /// The routes, under the paths of the real service, for a server of your own.
    public let routes: [ServerRoute]

    /// The server of this service alone, started by `start`; unused if another server serves the routes.
    public let server: LoopbackServer

    let access: ParticipantAccess
    let records: Protected<ParticipantRecords>

    /// Creates the service without starting a server.
    ///
    /// - Parameters:
    ///   - now: The current time; the data ends there, and it determines the expiry of tokens and the rate limit.
    ///   - redirects: The allowed prefixes of the URLs that end a connection to a provider.
    ///   - checkSignature: Verifies a service account's signature. Without it every nonempty signature is accepted:
    ///     verifying RS256 takes a cryptographic library, which the sandbox does not have.
    ///   - port: The port its own server listens on; 0 lets the system choose.
    ///   - isEmpty: Whether the participant starts without any activity.
    ///   - key: The end of every token and of the service account's name, for a server that others can reach: they know
    ///     what precedes it.
    public init(
        now: @escaping @Sendable () -> Date = { Date() },
        redirects: [String] = ["https://my.app/", "myapp://"], checkSignature: SignatureCheck? = nil,
        port: UInt16 = 0, isEmpty: Bool = false, key: String = ""
    ) {
        token = "eyJwYXJ0aWNpcGFudCI6Im1heWEifQ.sandbox" + key
        serviceAccount = "MyDataHelps.4711.NordicSleep" + key
        access = ParticipantAccess(now: now, key: key)
        records = Protected(ParticipantRecords(now: now(), isEmpty: isEmpty))
        let backend = ParticipantBackend(
            access: access, records: records, now: now, serviceAccount: serviceAccount, redirects: redirects,
            checkSignature: checkSignature)
        routes = backend.routes
        server = LoopbackServer(routes: routes, port: port)
        addToken(token, of: participantIdentifier)
    }

    /// Creates the service and starts its server; throws `ServerStartError` if the port is in use.
    public static func start(
        now: @escaping @Sendable () -> Date = { Date() },
        redirects: [String] = ["https://my.app/", "myapp://"], checkSignature: SignatureCheck? = nil, port: UInt16 = 0
    ) throws -> MyDataHelpsSandbox {
        let sandbox = MyDataHelpsSandbox(now: now, redirects: redirects, checkSignature: checkSignature, port: port)
        try sandbox.server.start()
        return sandbox
    }

    /// The root URL of its own server, `http://127.0.0.1:PORT/`; the API is under `api/v1/`, as in the real service.
    public var baseURL: URL { server.baseURL }

    /// Stops its own server.
    public func stop() { server.stop() }

    /// The maximum number of requests per token and hour; others get a 429. The default is 500.
    public var rateLimit: Int {
        get { access.tokens.limit ?? 0 }
        set { access.tokens.limit = newValue }
    }

    /// All scopes a participant's token can have. `api`, which is older, opens every call.
    public static let allScopes = ParticipantScope.all

    /// Adds a participant access token. All persons share their data, except for their identifiers and email addresses.
    ///
    /// - Parameters:
    ///   - token: The text after `Bearer`.
    ///   - participant: The project's identifier of the person, such as ``participantIdentifier``; nil for a new
    ///     person.
    ///   - scopes: The scopes of the token; other calls get a 403.
    ///   - lifetime: The number of seconds until the token expires; `nil` for never.
    public func addToken(
        _ token: String, of participant: String? = nil, scopes: Set<String> = ["api"], lifetime: TimeInterval? = nil
    ) {
        access.add(token, of: participant, scopes: scopes, lifetime: lifetime)
    }

    /// Invalidates a token, as if it had expired.
    public func expireToken(_ token: String) { access.tokens.remove(token) }
}
