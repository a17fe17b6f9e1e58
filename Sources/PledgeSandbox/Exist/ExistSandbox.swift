import Foundation

/// A simulation of Exist, version 2 of its API, with a year of realistic data that is the same on every run.
///
///     let sandbox = try ExistSandbox.start()
///     defer { sandbox.stop() }
///     // A client of Exist with `sandbox.baseURL` and `sandbox.token` now works without the internet.
///
/// Written values can be read back; paging, scopes, and ownership work as in the real service; averages, correlations,
/// and insights are computed from the data. Where the documentation is silent, the responses are plausible guesses.
public final class ExistSandbox: Sendable {
    /// The two kinds of token, each with its own scheme in the `Authorization` header.
    public enum TokenKind: Sendable {
        /// A token that can read everything and write nothing: `Authorization: Token …`.
        case simple
        /// A token limited to its scopes: `Authorization: Bearer …`.
        case oauth

        var scheme: String { self == .simple ? "Token" : "Bearer" }
    }

    /// All scopes of the service: reading and writing, for each group and for manual attributes.
    public static let allScopes: Set<String> = {
        // The Twitter group is still listed, but has no scope.
        let groups = ExistGroup.allCases.filter { $0 != .twitter }.map(\.name) + ["manual"]
        return Set(groups.flatMap { ["\($0)_read", "\($0)_write"] })
    }()

    /// An OAuth2 token with all scopes, for the client `my_tracker`.
    public let token: String
    /// The refresh token that belongs to `token`.
    public let refreshToken: String
    /// A simple token, which is read-only.
    public let simpleToken: String
    /// The user the data belongs to.
    public let username = "maya"
    /// The user's password, which a client exchanges for the simple token.
    public let password: String
    /// The ID of the OAuth2 client.
    public let clientID = "sandbox-client"
    /// The secret of the OAuth2 client.
    public let clientSecret: String

    /// The routes, under the paths of the real service, for a server of your own.
    public let routes: [ServerRoute]

    /// The server of this service alone, started by `start`; unused if another server serves the routes.
    public let server: LoopbackServer

    private let tokens: TokenTable<ExistToken>
    let records: Protected<ExistRecords>
    let clock: ExistClock

    /// Creates the service without starting a server.
    ///
    /// - Parameters:
    ///   - now: The current time; it determines today, the expiry of tokens, and the rate limit.
    ///   - timeZone: The user's time zone, which determines the current day.
    ///   - port: The port its own server listens on; 0 lets the system choose.
    ///   - isEmpty: Whether the user starts without attributes and without the past year's data.
    ///   - key: A text at the end of every token and secret. Choose one if others can reach the server, because the
    ///     part before it is public.
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
        tokens = TokenTable(now: now)
        let client = ExistService("my_tracker")
        let grants = ExistGrants(
            clientID: clientID, clientSecret: clientSecret, client: client, tokens: tokens, key: key, now: now)
        tokens.add(simpleToken, ExistToken(kind: .simple, scopes: [], client: client))
        grants.add(accessToken: token, refreshToken: refreshToken, scopes: Self.allScopes)
        let backend = ExistBackend(
            clock: clock, tokens: tokens, grants: grants, records: records, username: username, password: password,
            simpleToken: simpleToken, isLocal: key.isEmpty)
        routes = backend.routes
        server = LoopbackServer(routes: routes, port: port)
    }

    /// Creates the service and starts its server; throws `ServerStartError` if the port is in use.
    public static func start(
        now: @escaping @Sendable () -> Date = { Date() }, timeZone: TimeZone = .current, port: UInt16 = 0
    ) throws -> ExistSandbox {
        let sandbox = ExistSandbox(now: now, timeZone: timeZone, port: port)
        try sandbox.server.start()
        return sandbox
    }

    /// The root URL of its own server, `http://127.0.0.1:PORT/`; the API is under `api/2/`, as in the real service.
    public var baseURL: URL { server.baseURL }

    /// Stops its own server.
    public func stop() { server.stop() }

    /// The maximum number of requests per token and hour; further requests get a 429 without a body. Nil, the default,
    /// means no limit.
    public var rateLimit: Int? {
        get { tokens.limit }
        set { tokens.limit = newValue }
    }

    /// Whether `attributes/values/` responds with a 404 for an inactive attribute until it is acquired, as public
    /// clients expect. The documentation does not say which is right. The default is false: the response contains
    /// values.
    public var hidesInactiveValues: Bool {
        get { records.withLock(\.hidesInactiveValues) }
        set { records.withLock { $0.hidesInactiveValues = newValue } }
    }

    /// Adds a token, or changes the permissions of an existing one.
    ///
    /// - Parameters:
    ///   - token: The text after the authorization scheme.
    ///   - kind: The kind of token, which determines the scheme.
    ///   - scopes: The scopes of an OAuth2 token; a simple token can read everything.
    ///   - client: The service that uses the token and owns what it acquires.
    ///   - username: The user in the profile, so that tests can detect mixed-up responses; nil for ``username``. All
    ///     other data is the same for every user.
    public func addToken(
        _ token: String, kind: TokenKind = .oauth, scopes: Set<String> = ExistSandbox.allScopes,
        client: String = "my_tracker", username: String? = nil
    ) {
        tokens.add(
            token, ExistToken(kind: kind, scopes: scopes, client: ExistService(client), username: username))
    }

    /// Invalidates a token, as if it had expired; its refresh token remains valid.
    public func expireToken(_ token: String) { tokens.remove(token) }
}

/// Changes to a user's data, for tests of synchronization.
extension ExistSandbox {
    package func setValue(_ value: ServerJSON, of attribute: String, on day: String) {
        guard let day = CalendarDay(day) else { return }
        records.withLock { $0.write(value, of: attribute, on: day) }
    }

    /// Adds an attribute; `valueType` is the service's number for the type.
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

/// The state of the service, and its routes. Each route declares who may call it beside its response.
struct ExistBackend: Sendable {
    let clock: ExistClock
    let tokens: TokenTable<ExistToken>
    let grants: ExistGrants
    let records: Protected<ExistRecords>
    let username: String
    let password: String
    let simpleToken: String
    /// Whether only this machine can reach the sandbox.
    let isLocal: Bool
    let latest = Protected<ExistLedger?>(nil)

    /// The current ledger, cached until the data or the day changes.
    var ledger: ExistLedger {
        let (records, today) = (records.current, clock.today)
        return latest.withLock { latest in
            if let latest, latest.today == today, latest.records.revision == records.revision { return latest }
            let ledger = ExistLedger(records: records, today: today)
            latest = ledger
            return ledger
        }
    }

    var routes: [ServerRoute] { tokenRoutes + readingRoutes + insightRoutes + ownershipRoutes + writingRoutes }
}

struct ExistClock: Sendable {
    let now: @Sendable () -> Date
    private let home: TimeZone
    /// The user's later time zones, and when each takes effect.
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

    /// Returns a timestamp in the time zone the user has at that date. Profiles have six digits of the fraction,
    /// insights none.
    func timestamp(_ date: Date, digits: Int) -> String {
        ZonedTime.text(date, digits: digits, offset: timeZone(at: date).secondsFromGMT(for: date))
    }

    func instant(_ day: CalendarDay, secondOfDay: Int) -> Date {
        let local = Date(timeIntervalSince1970: Double(day.number * 86_400 + secondOfDay))
        // The offset depends on the instant that is to be found. The second guess is right, except in the hour of a
        // clock change.
        let guess = local.addingTimeInterval(-Double(timeZone(at: local).secondsFromGMT(for: local)))
        return local.addingTimeInterval(-Double(timeZone(at: guess).secondsFromGMT(for: guess)))
    }
}
