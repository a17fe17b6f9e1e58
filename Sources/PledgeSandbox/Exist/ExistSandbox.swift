import Foundation

/// A simulation of version 2 of the Exist API. It has a year of realistic data, which is the same on every run.
///
///     let sandbox = try ExistSandbox.start()
///     defer { sandbox.stop() }
///     // A client of Exist with `sandbox.baseURL` and `sandbox.token` now works without the internet.
///
/// Clients can write values and read them back. Paging, scopes, and ownership work as in the real service. Averages,
/// correlations, and insights are computed from the data. Where the documentation of Exist is silent, the responses are
/// plausible guesses.
public final class ExistSandbox: Sendable {
    /// A kind of token. Each kind has its own scheme in the `Authorization` header.
    public enum TokenKind: Sendable {
        /// A token that can read everything, but cannot write: `Authorization: Token …`.
        case simple
        /// A token that can do only what its scopes permit: `Authorization: Bearer …`.
        case oauth

        var scheme: String { self == .simple ? "Token" : "Bearer" }
    }

    /// All scopes of the service. Each group has one for reading and one for writing, and so do manual attributes.
    public static let allScopes: Set<String> = {
        // The service still lists the group for Twitter, but has no scopes for it.
        let groups = ExistGroup.allCases.filter { $0 != .twitter }.map(\.name) + ["manual"]
        return Set(groups.flatMap { ["\($0)_read", "\($0)_write"] })
    }()

    /// An OAuth2 access token with all scopes, for the client `my_tracker`.
    public let token: String
    /// The refresh token that belongs to `token`.
    public let refreshToken: String
    /// A simple token, which is read-only.
    public let simpleToken: String
    /// The user name of the person that the data belongs to.
    public let username = "maya"
    /// The user's password. A client can exchange the user name and password for the simple token.
    public let password: String
    /// The ID of the OAuth2 client.
    public let clientID = "sandbox-client"
    /// The secret of the OAuth2 client.
    public let clientSecret: String

    /// The routes of the service, under the same paths as in the real service. You can add them to a server of your
    /// own.
    public let routes: [ServerRoute]

    /// The sandbox's own server, which serves only this service. `start` starts it. It is unused if you add the routes
    /// to another server.
    public let server: LoopbackServer

    private let tokens: ExpiringTable<ExistToken>
    private let hourlyLimit: HourlyLimit
    let records: Protected<ExistRecords>
    let clock: ExistClock

    /// Creates a sandbox without starting its server.
    ///
    /// - Parameters:
    ///   - now: Returns the current time. It determines the current day, when tokens expire, and when the rate limit is
    ///     reset.
    ///   - timeZone: The user's time zone, which determines the current day.
    ///   - port: The port that the sandbox's own server listens on. If it is 0, the system chooses a free port.
    ///   - isEmpty: Whether the user starts without attributes and without data.
    ///   - key: A text that is appended to every token and secret. Choose a secret text if others can reach the server,
    ///     because the tokens without it are public.
    public init(
        now: @escaping @Sendable () -> Date = { Date() }, timeZone: TimeZone = .current, port: UInt16 = 0,
        isEmpty: Bool = false, key: String = ""
    ) {
        token = "9b2c41d7e0f34a5586a1c3d4e5f60718293a4b5c" + key
        refreshToken = "c4d3e2f1a0b9485766778899aabbccddeeff0011" + key
        simpleToken = "5e1fd0c7a9b84e6d93c2b7f1046ad8e235cc9071" + key
        password = "correct horse" + key
        clientSecret = "sandbox-secret" + key
        clock = ExistClock(now: now, timeZone: timeZone)
        records = Protected(ExistRecords(isEmpty: isEmpty))
        tokens = ExpiringTable(now: now)
        hourlyLimit = HourlyLimit(nil, now: now)
        let client = ExistService("my_tracker")
        let oauth = ExistOAuthServer(
            clientID: clientID, clientSecret: clientSecret, client: client, tokens: tokens, key: key, now: now)
        tokens.add(simpleToken, ExistToken(kind: .simple, scopes: [], client: client))
        oauth.add(accessToken: token, refreshToken: refreshToken, scopes: Self.allScopes)
        let backend = ExistBackend(
            clock: clock, tokens: tokens, hourlyLimit: hourlyLimit, oauth: oauth, records: records, username: username,
            password: password, simpleToken: simpleToken, isLocal: key.isEmpty)
        routes = backend.routes
        server = LoopbackServer(routes: routes, port: port)
    }

    /// Creates a sandbox and starts its server.
    ///
    /// - Throws: `ServerStartError`, for example if the port is in use.
    public static func start(
        now: @escaping @Sendable () -> Date = { Date() }, timeZone: TimeZone = .current, port: UInt16 = 0
    ) throws -> ExistSandbox {
        let sandbox = ExistSandbox(now: now, timeZone: timeZone, port: port)
        try sandbox.server.start()
        return sandbox
    }

    /// The root URL of the sandbox's own server, `http://127.0.0.1:PORT/`. The API is under `api/2/`, as in the real
    /// service.
    public var baseURL: URL { server.baseURL }

    /// Stops the sandbox's own server.
    public func stop() { server.stop() }

    /// The maximum number of requests with a token in an hour. Further requests get a 429 without a body. The default
    /// is nil, which means that there is no maximum.
    public var rateLimit: Int? {
        get { hourlyLimit.limit }
        set { hourlyLimit.limit = newValue }
    }

    /// Whether `attributes/values/` responds with a 404 for an inactive attribute, until a client acquires the
    /// attribute. If false, which is the default, the response has the values of the attribute. The documentation of
    /// Exist does not say which of the two is right. Public clients expect the 404.
    public var hidesInactiveValues: Bool {
        get { records.withLock(\.hidesInactiveValues) }
        set { records.withLock { $0.hidesInactiveValues = newValue } }
    }

    /// Adds a token, or changes the permissions of an existing token.
    ///
    /// - Parameters:
    ///   - token: The token, which is the text after the scheme in the `Authorization` header.
    ///   - kind: The kind of token, which determines the scheme.
    ///   - scopes: The scopes of an OAuth2 token. They have no effect on a simple token, which can read everything.
    ///   - client: The name of the client that uses the token. The client owns the attributes that it acquires with the
    ///     token.
    ///   - username: The user name in the profile; nil for ``username``. With several users, a test can detect
    ///     responses that were mixed up. The attributes and their values are the same for every user name.
    public func addToken(
        _ token: String, kind: TokenKind = .oauth, scopes: Set<String> = ExistSandbox.allScopes,
        client: String = "my_tracker", username: String? = nil
    ) {
        tokens.add(
            token, ExistToken(kind: kind, scopes: scopes, client: ExistService(client), username: username))
    }

    /// Invalidates an access token, as if it had expired. Its refresh token remains valid.
    public func expireToken(_ token: String) { tokens.remove(token) }
}

/// Methods that change the user's data, for tests of syncing.
extension ExistSandbox {
    package func setValue(_ value: ServerJSON, of attribute: String, on day: String) {
        guard let day = CalendarDay(day) else { return }
        records.withLock { $0.write(value, of: attribute, on: day) }
    }

    /// Adds an attribute. `valueType` is the number that Exist uses for the type.
    package func addAttribute(_ name: String, label: String? = nil, valueType: Int = 0, isLowPriority: Bool = false) {
        let attribute = ExistAttribute(
            name: name, label: label ?? name, group: .custom, priority: isLowPriority ? 10 : 2,
            valueType: ExistValueType(rawValue: valueType) ?? .quantity, manual: true,
            service: ExistService("exist_for_ios"))
        records.withLock { $0.save(attribute) }
    }

    package func removeAttribute(_ name: String) {
        records.withLock { $0.remove(name) }
    }

    package func changeAttribute(_ name: String, label: String? = nil, isActive: Bool? = nil) {
        records.withLock { records in
            guard var attribute = records[name] else { return }
            attribute.label = label ?? attribute.label
            attribute.isActive = isActive ?? attribute.isActive
            records.save(attribute)
        }
    }

    package func move(to zone: TimeZone) {
        clock.move(to: zone)
    }
}

/// The state of the service, and its routes. Each route also says which tokens may call it.
struct ExistBackend: Sendable {
    let clock: ExistClock
    let tokens: ExpiringTable<ExistToken>
    let hourlyLimit: HourlyLimit
    let oauth: ExistOAuthServer
    let records: Protected<ExistRecords>
    let username: String
    let password: String
    let simpleToken: String
    /// Whether the sandbox is meant to be reached only from this machine.
    let isLocal: Bool
    let latest = Protected<ExistStatistics?>(nil)

    /// The statistics of the current data and day. They are cached until the data or the day changes.
    var statistics: ExistStatistics {
        let (records, today) = (records.current, clock.today)
        return latest.withLock { latest in
            if let latest, latest.today == today, latest.records.revision == records.revision { return latest }
            let statistics = ExistStatistics(records: records, today: today)
            latest = statistics
            return statistics
        }
    }

    var routes: [ServerRoute] { tokenRoutes + readingRoutes + insightRoutes + ownershipRoutes + writingRoutes }
}

struct ExistClock: Sendable {
    let now: @Sendable () -> Date
    private let home: TimeZone
    /// The time zones that the user has moved to, each with the time of the move.
    private let zones = Protected<[(from: Date, zone: TimeZone)]>([])

    init(now: @escaping @Sendable () -> Date, timeZone: TimeZone) { (self.now, home) = (now, timeZone) }

    var timeZone: TimeZone { timeZone(at: now()) }

    private func timeZone(at date: Date) -> TimeZone {
        zones.withLock { zones in zones.last { $0.from <= date } }?.zone ?? home
    }

    func move(to zone: TimeZone) {
        let now = now()
        zones.withLock { $0.append((now, zone)) }
    }

    var today: CalendarDay { CalendarDay(now(), in: timeZone) }

    /// Returns a timestamp in the time zone that the user has at that date. `digits` is the number of digits after the
    /// seconds: six in profiles, and none in insights.
    func timestamp(_ date: Date, digits: Int) -> String {
        ZonedTime.text(date, digits: digits, offset: timeZone(at: date).secondsFromGMT(for: date))
    }

    func instant(_ day: CalendarDay, secondOfDay: Int) -> Date {
        let local = Date(timeIntervalSince1970: Double(day.number * 86_400 + secondOfDay))
        // The offset from UTC depends on the instant, which is not known yet. The first guess uses the offset at the
        // local time as if it were UTC. The second guess is right, except in the hour of a clock change.
        let guess = local.addingTimeInterval(-Double(timeZone(at: local).secondsFromGMT(for: local)))
        return local.addingTimeInterval(-Double(timeZone(at: guess).secondsFromGMT(for: guess)))
    }
}
