import Foundation

/// Plays the participant API of MyDataHelps, with some weeks of believable data that is the same on every run.
///
///     let sandbox = try MyDataHelpsSandbox.start()
///     defer { sandbox.stop() }
///     // A client of MyDataHelps with `sandbox.baseURL` and `sandbox.token` now works without the internet.
///
/// Device data that is stored is read back and updated, survey results can be deleted once, accounts move through their
/// states, tokens run out, and every reply says how many requests are left. Where the documentation is silent, the
/// answers are plausible guesses.
public final class MyDataHelpsSandbox: SandboxService {
    /// Checks the signature of a service account: what was signed, and the signature.
    public typealias SignatureCheck = @Sendable (_ signed: Data, _ signature: Data) -> Bool

    /// A participant access token that does not run out by itself.
    public let token = "eyJwYXJ0aWNpcGFudCI6Im1heWEifQ.sandbox"
    /// The internal id of the participant whose data this is.
    public let participantID = ProfileRoutes.participantID
    /// What the project calls the participant.
    public let participantIdentifier = ProfileRoutes.participantIdentifier
    /// The internal id of the project.
    public let projectID = ProfileRoutes.projectID
    /// The service account that may get tokens.
    public let serviceAccount = "MyDataHelps.4711.NordicSleep"

    /// What it answers, under the paths of the real service.
    public let routes: [SandboxRoute]

    /// The server of this service alone, which `start` runs; it rests when the routes are served by another.
    public let server: SandboxServer

    private let access: ParticipantAccess
    let records: Locked<ParticipantRecords>

    /// Makes the service without starting a server.
    ///
    /// - Parameters:
    ///   - now: The time; the data ends there, and the expiry of tokens and the rate limit follow it.
    ///   - redirects: How the addresses may begin that a connection to a provider ends with.
    ///   - checkSignature: Whether a service account's signature is right. Without it every signature is, as long as
    ///     there is one: checking RS256 takes a cryptographic library, which the sandbox has not.
    ///   - port: Where its own server listens; 0 lets the system choose.
    public convenience init(
        now: @escaping @Sendable () -> Date = { Date() },
        redirects: [String] = ["https://my.app/", "myapp://"], checkSignature: SignatureCheck? = nil, port: UInt16 = 0
    ) {
        self.init(now: now, redirects: redirects, checkSignature: checkSignature, port: port, isEmpty: false)
    }

    /// - Parameter isEmpty: Whether the participant has done nothing yet.
    package init(
        now: @escaping @Sendable () -> Date, redirects: [String] = [], checkSignature: SignatureCheck? = nil,
        port: UInt16 = 0, isEmpty: Bool
    ) {
        let access = ParticipantAccess(now: now)
        let records = Locked(ParticipantRecords(now: now(), isEmpty: isEmpty))
        access.add(token, kind: .participant, lifetime: nil)
        let groups: [any RouteGroup] = [
            ProfileRoutes(access: access, now: now),
            DeviceDataRoutes(access: access, records: records, now: now),
            SurveyRoutes(access: access, records: records),
            NotificationRoutes(access: access, records: records),
            ProviderRoutes(access: access, records: records, redirects: redirects),
            ExternalAccountRoutes(access: access, records: records, now: now),
            SurveyPageRoutes(access: access, records: records, now: now),
            ParticipantTokenRoutes(
                access: access, now: now, account: serviceAccount, participantID: participantID,
                checkSignature: checkSignature
            ),
        ]
        routes = groups.routes
        server = SandboxServer(routes: routes, port: port)
        self.access = access
        self.records = records
    }

    /// Makes the service and starts its server.
    ///
    /// - Throws: `SandboxError` when the port is taken or the system is out of sockets.
    public static func start(
        now: @escaping @Sendable () -> Date = { Date() },
        redirects: [String] = ["https://my.app/", "myapp://"], checkSignature: SignatureCheck? = nil, port: UInt16 = 0
    ) throws -> MyDataHelpsSandbox {
        let sandbox = MyDataHelpsSandbox(now: now, redirects: redirects, checkSignature: checkSignature, port: port)
        try sandbox.server.start()
        return sandbox
    }

    /// Where its own server is, `http://127.0.0.1:PORT/`; the API is under `api/v1/`, as at the real service.
    public var baseURL: URL {
        server.baseURL
    }

    /// Stops its own server.
    public func stop() {
        server.stop()
    }

    /// How many requests a token may make in an hour; more get a 429. At first 500.
    public var rateLimit: Int {
        get { access.rateLimit }
        set { access.rateLimit = newValue }
    }

    /// Lets in another participant access token.
    ///
    /// - Parameters:
    ///   - token: The text after `Bearer`.
    ///   - lifetime: Seconds until it runs out; `nil` for never.
    public func addToken(_ token: String, lifetime: TimeInterval? = nil) {
        access.add(token, kind: .participant, lifetime: lifetime)
    }

    /// Makes a token worthless, as if it had run out.
    public func expireToken(_ token: String) {
        access.remove(token)
    }
}
