import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeSandbox
import PledgeTestSupport
import Testing

/// Services, token issuers, clocks, and token sources misbehave at random, as real ones have done. Then the service
/// accepts the issuer's tokens again, and calls must succeed.
@Suite("Tokens of both kits over both transports", .serialized)
struct RenewalTests {
    enum Kit: CaseIterable, Sendable { case exist, mydatahelps }

    @Test(
        "Once the issuer and the service agree again, every call succeeds within ten seconds, and no renewals overlap",
        arguments: Kit.allCases, [false, true])
    func heals(kit: Kit, usesURLSession: Bool) async throws {
        for seed in 1...UInt64(Rounds.count(usual: 20)) {
            var random = SeededGenerator(seed: seed)
            let world = try TokenWorld(Issuer.Habit.allCases.randomElement(using: &random) ?? .rotating)
            defer { world.stop() }
            let call = world.caller(kit, usesURLSession ? URLSessionTransport() : StandardTransport())
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                switch Int.random(in: 0..<6, using: &random) {
                case 0, 1:
                    _ = await when(resolved: (0..<Int.random(in: 1...6, using: &random)).map { _ in call() }).value
                case 2: world.clock.advance(by: [0, 1, 9.9, 10, 86_400].randomElement(using: &random) ?? 0)
                case 3: world.clock.jump(by: [-86_400, -5, 5, 86_400].randomElement(using: &random) ?? 0)
                case 4: world.issuer.change { $0.behave(&random) }
                default: world.issuer.change { $0.refusesAll.toggle() }
                }
            }
            world.issuer.change { $0.agree() }
            world.clock.advance(by: 10)

            let first = await call().settled().value
            let rest = await when(resolved: (0..<3).map { _ in call() }).value

            for outcome in [first] + rest {
                if case .failure(let error) = outcome { Issue.record("seed \(seed), \(world.issuer.habit): \(error)") }
            }
            #expect(world.issuer.mostAtOnce <= 1, "seed \(seed), \(world.issuer.habit)")
        }
    }
}

/// A clock, and a service over real HTTP that accepts an issuer's tokens.
final class TokenWorld: Sendable {
    let issuer: Issuer
    let clock = ManualTimekeeper(start: Date(timeIntervalSince1970: 1_700_000_000))
    private let server: LoopbackServer

    init(_ habit: Issuer.Habit) throws {
        let issuer = Issuer(habit)
        self.issuer = issuer
        func route(_ path: String, _ body: String) -> ServerRoute {
            ServerRoute("GET \(path)") { request in
                let token = request.headers["Authorization"]?.split(separator: " ").last.map(String.init)
                return issuer.accepts(token) ? .text(body) : .empty(401)
            }
        }
        server = LoopbackServer(routes: [
            route("/api/2/accounts/profile/", #"{"username":"ada"}"#),
            route("/api/v1/delegated/project", #"{"id":"1","name":"Study","organization":{"id":"1","name":"Org"}}"#),
        ])
        try server.start()
    }

    func stop() { server.stop() }

    /// Returns a closure that makes a call of the kit. The call needs a token.
    func caller(_ kit: RenewalTests.Kit, _ transport: any HTTPTransport) -> @Sendable () -> Promise<Void> {
        let source = issuer.source(clock.timekeeper)
        func adapt(_ options: inout EndpointClient.Options) {
            options.transport = transport
            options.clock = clock.timekeeper
            options.retry = .never
            options.timeout = 3600
        }
        switch kit {
        case .exist:
            let api = ExistAPI(
                source: source, baseURL: server.baseURL, options: ExistAPI.defaultOptions.with { adapt(&$0) })
            return { api.user().asVoid() }
        case .mydatahelps:
            let client = MyDataHelpsClient(
                baseURL: server.baseURL, options: MyDataHelpsClient.defaultOptions.with { adapt(&$0) })
            let session = ParticipantSession(client: client, tokens: source)
            return { (session.getProjectInfo() as Promise<ProjectInfo>).asVoid() }
        }
    }
}

/// An issuer of tokens, which also creates the token source that requests them.
final class Issuer: Sendable {
    enum Habit: CaseIterable, Sendable {
        /// The issuer returns the same token until a test lets it issue another one.
        case caching
        /// The source still returns the old token for some requests after a renewal.
        case lagging
        /// Each renewal invalidates the previous token.
        case rotating
        /// The source never asks for a new token, and returns the current one each time.
        case plain
        /// The source is an `OAuth2TokenSource`. Each renewal invalidates the previous token, and tokens are valid for a
        /// minute.
        case oauth
    }

    struct State {
        var current = 1
        var accepted = "t1"
        var memory = "t1"
        /// Whether the service refuses every token.
        var refusesAll = false
        var isDown = false
        var issuesOld = false
        var lag = 0
        var running = 0
        var most = 0

        /// Changes the behavior of the issuer or the service at random.
        mutating func behave(_ random: inout SeededGenerator) {
            switch Int.random(in: 0..<4, using: &random) {
            case 0: isDown.toggle()
            case 1: issuesOld.toggle()
            case 2: lag = Int.random(in: 0...4, using: &random)
            default: accepted = "none"
            }
        }

        /// Makes the issuer and the service agree again, on a new token that sources can request.
        mutating func agree() {
            (refusesAll, isDown, issuesOld, lag) = (false, false, false, 0)
            current += 1
            accepted = "t\(current)"
        }
    }

    let habit: Habit
    private let state = Locked(State())

    init(_ habit: Habit) { self.habit = habit }

    var mostAtOnce: Int { state.withLock { $0.most } }

    func accepts(_ token: String?) -> Bool { state.withLock { !$0.refusesAll && $0.accepted == token } }

    func change(_ change: (inout State) -> Void) { state.withLock(change) }

    func source(_ clock: Timekeeper) -> any TokenSource {
        guard habit == .oauth else { return IssuedSource(self) }
        let old = OAuth2Token(accessToken: "t1", refreshToken: "r", expiresAt: clock.now())
        return OAuth2TokenSource(old, in: Memory(old), clock: clock) { [self] old in
            renew().map { OAuth2Token(accessToken: $0, expiresAt: clock.now().addingTimeInterval(60)) }
        }
    }

    var tokenInMemory: String {
        state.withLock { state in
            if habit == .plain { return "t\(state.current)" }
            guard state.lag == 0 else {
                state.lag -= 1
                return "t1"
            }
            return state.memory
        }
    }

    func renew() -> Promise<String> {
        state.withLock { state in
            state.running += 1
            state.most = max(state.most, state.running)
        }
        // Renews on another queue, so that other requests that were refused find the renewal in progress.
        return DispatchQueue.global().async(.promise) { [self] in
            try state.withLock { state in
                defer { state.running -= 1 }
                if state.isDown { throw Fault.one }
                if habit == .rotating || habit == .oauth, !state.issuesOld {
                    state.current += 1
                    state.accepted = "t\(state.current)"
                }
                let token = state.issuesOld ? state.memory : "t\(state.current)"
                state.memory = token
                return token
            }
        }
    }
}

private final class IssuedSource: TokenSource {
    private let issuer: Issuer

    init(_ issuer: Issuer) { self.issuer = issuer }

    func token() -> Promise<String> { .value(issuer.tokenInMemory) }

    func token(replacing rejected: String) -> Promise<String> { issuer.habit == .plain ? token() : issuer.renew() }
}

private struct Memory: OAuth2TokenStore {
    private let token: Locked<OAuth2Token>

    init(_ token: OAuth2Token) { self.token = Locked(token) }

    func load() -> Promise<OAuth2Token?> { .value(token.withLock { $0 }) }

    func save(_ token: OAuth2Token) -> Promise<Void> {
        self.token.withLock { $0 = token }
        return Promise()
    }
}
