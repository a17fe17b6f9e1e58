import Foundation

/// Plays Exist, version 2 of its API, with a year of believable data that is the same on every run.
///
///     let sandbox = try ExistSandbox.start()
///     defer { sandbox.stop() }
///     // A client of Exist with `sandbox.baseURL` and `sandbox.token` now works without the internet.
///
/// What is written is read back, paging, scopes and ownership work as they do there, and averages, correlations and insights are
/// computed from the data. Where the documentation is silent, the answers are plausible guesses.
public final class ExistSandbox: SandboxService {
    /// The two kinds of credential, each with its own word in the `Authorization` header.
    public enum TokenKind: Sendable {
        /// Reads everything and writes nothing: `Authorization: Token …`.
        case simple
        /// May do what its scopes say: `Authorization: Bearer …`.
        case oauth

        /// The same as ``oauth``, by the word in the header.
        public static var bearer: TokenKind { .oauth }

        var scheme: String {
            self == .simple ? "Token" : "Bearer"
        }
    }

    /// Every scope there is.
    public static let allScopes: Set<String> = ExistScopes.all

    /// An OAuth2 token with every scope, of the client `my_tracker`.
    public let token = "9b2c41d7e0f34a5586a1c3d4e5f60718293a4b5c"
    /// The refresh token that came with `token`.
    public let refreshToken = "c4d3e2f1a0b9485766778899aabbccddeeff0011"
    /// A simple token, which only reads.
    public let simpleToken = "5e1fd0c7a9b84e6d93c2b7f1046ad8e235cc9071"
    /// The user whose data this is.
    public let username = "maya"
    /// The password that gives the simple token.
    public let password = "correct horse"
    /// The id of the OAuth2 client.
    public let clientID = "sandbox-client"
    /// The secret of the OAuth2 client.
    public let clientSecret = "sandbox-secret"

    /// What it answers, under the paths of the real service.
    public let routes: [SandboxRoute]

    /// The server of this service alone, which `start` runs; it rests when the routes are served by another.
    public let server: SandboxServer

    private let access: ExistAccess

    /// Makes the service without starting a server.
    ///
    /// - Parameters:
    ///   - now: The time for the user; today, the expiry of tokens and the rate limit follow it.
    ///   - timeZone: The zone of the user, which decides what day it is.
    ///   - port: Where its own server listens; 0 lets the system choose.
    public init(
        now: @escaping @Sendable () -> Date = { Date() }, timeZone: TimeZone = .current, port: UInt16 = 0
    ) {
        let clock = ExistClock(now: now, timeZone: timeZone)
        let records = Locked(ExistRecords())
        let client = ExistService("my_tracker")
        access = ExistAccess(clock: clock)
        let grants = ExistGrants(
            clientID: clientID, clientSecret: clientSecret, client: client, access: access, clock: clock)
        access.add(ExistToken(text: token, kind: .oauth, scopes: Self.allScopes, client: client))
        access.add(ExistToken(text: simpleToken, kind: .simple, scopes: [], client: client))
        grants.add(accessToken: token, refreshToken: refreshToken, scopes: Self.allScopes)

        let groups: [any RouteGroup] = [
            ExistTokenRoutes(grants: grants, username: username, password: password, simpleToken: simpleToken),
            ExistReadingRoutes(clock: clock, access: access, records: records, username: username),
            ExistOwnershipRoutes(access: access, records: records),
            ExistWritingRoutes(clock: clock, access: access, records: records),
            ExistInsightRoutes(clock: clock, access: access, records: records),
        ]
        routes = groups.routes
        server = SandboxServer(routes: routes, port: port)
    }

    /// Makes the service and starts its server.
    ///
    /// - Throws: `SandboxError` when the port is taken or the system is out of sockets.
    public static func start(
        now: @escaping @Sendable () -> Date = { Date() }, timeZone: TimeZone = .current, port: UInt16 = 0
    ) throws -> ExistSandbox {
        let sandbox = ExistSandbox(now: now, timeZone: timeZone, port: port)
        try sandbox.server.start()
        return sandbox
    }

    /// Where its own server is, `http://127.0.0.1:PORT/`; the API is under `api/2/`, as at the real service.
    public var baseURL: URL {
        server.baseURL
    }

    /// Stops its own server.
    public func stop() {
        server.stop()
    }

    /// How many requests a token may make in an hour; more get a 429 without a body. `nil`, the default, counts nothing.
    public var rateLimit: Int? {
        get { access.rateLimit }
        set { access.rateLimit = newValue }
    }

    /// Lets in another token, or changes what one may do.
    ///
    /// - Parameters:
    ///   - token: The text after the scheme word.
    ///   - kind: Which scheme word it goes with.
    ///   - scopes: What an OAuth2 token may do; a simple token reads everything whatever they are.
    ///   - client: The name of the service that acts with the token and so owns what it acquires.
    ///   - username: Whose profile it reads, so that a test with many accounts notices if replies are mixed up; nil for
    ///     ``username``. The rest of the data is the same for all.
    public func addToken(
        _ token: String, kind: TokenKind = .oauth, scopes: Set<String> = ExistSandbox.allScopes,
        client: String = "my_tracker", username: String? = nil
    ) {
        access.add(
            ExistToken(text: token, kind: kind, scopes: scopes, client: ExistService(client), username: username))
    }

    /// Makes a token worthless, as if it had run out; its refresh token still works.
    public func expireToken(_ token: String) {
        access.remove(token)
    }
}
