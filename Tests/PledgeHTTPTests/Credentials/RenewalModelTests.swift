import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeHTTP

/// Two processes share the tokens of an account while random events change the service and the token store.
@Suite("Token renewals while others change the shared store")
struct RenewalModelTests {
    @Test(
        "Despite random faults, refused tokens aren't sent again, other people's tokens aren't used, and calls recover")
    func model() {
        Fuzzing.run(cases: 150) { seed, random in
            let world = RenewalWorld()
            let processes = [world.process("first"), world.process("second")]
            for _ in 0..<Int.random(in: 1...40, using: &random) {
                switch Int.random(in: 0..<13, using: &random) {
                case 0..<5: _ = try? processes.randomElement(using: &random)?.call()
                case 5: world.clock.advance(by: [1, 9.9, 10, 4000].randomElement(using: &random) ?? 0)
                case 6: world.change { $0.cannotSave.toggle() }
                case 7: world.change { $0.cannotLoad.toggle() }
                case 8: world.change { $0.isDown.toggle() }
                case 9: world.change { $0.stored = nil }
                case 10: world.change { $0.revoke() }
                case 11: world.change { $0.access = [:] }
                default:
                    let owner = ["ada", "ada", "bob"].randomElement(using: &random) ?? "ada"
                    let origin = ["here", "here", "elsewhere"].randomElement(using: &random) ?? "here"
                    let alsoRevokes = Bool.random(using: &random)
                    world.change { world in
                        if alsoRevokes { world.revoke() }
                        world.signIn(owner, at: origin)
                    }
                }
                #expect(world.faults == [], "seed \(seed)")
            }
            world.change { world in
                (world.cannotSave, world.cannotLoad, world.isDown) = (false, false, false)
                world.revoke()
                world.signIn("ada", at: "here")
            }
            // A token counts as new for ten seconds. The clock advances one second more, because the sum of the earlier
            // fractional steps may fall short of ten seconds.
            world.clock.advance(by: 11)
            for process in processes where process.owner.withLock({ $0 != "bob" }) {
                for _ in 0..<2 { #expect(throws: Never.self, "seed \(seed)") { try process.call() } }
            }
            #expect(world.faults == [], "seed \(seed)")
        }
    }

    @Test("A token pair that couldn't be saved is saved with the next request, so that it outlives the process")
    func savedLater() throws {
        let world = RenewalWorld()
        let process = world.process("first")
        try process.call()
        world.change { ($0.cannotSave, $0.access) = (true, [:]) }
        #expect(throws: ExchangeError.self) { try process.call() }
        world.change { $0.cannotSave = false }
        let before = world.change { $0.stored?.token.refreshToken }
        world.clock.advance(by: 10)
        try process.call()
        #expect(world.change { $0.stored?.token.refreshToken } != before)
        try world.process("second").call()
        #expect(world.faults == [])
    }

    @Test(
        "A token pair that couldn't be saved stays in use until the store contains a different pair than before")
    func unsaved() throws {
        let world = RenewalWorld()
        let process = world.process("first")
        func expectUnsaved() throws {
            world.change { ($0.cannotSave, $0.access) = (true, [:]) }
            let error = thrown(ExchangeError.self) { try process.call() }
            guard case .credential(let cause)? = error?.reason else { throw Fault.one }
            #expect(cause as? Fault == .two)
            world.clock.advance(by: 10)
        }
        try process.call()
        try expectUnsaved()
        try process.call()
        world.change { ($0.cannotSave, $0.access) = (false, [:]) }
        try process.call()
        #expect(world.change { $0.stored?.token.refreshToken } == "refresh-ada-3")
        // Saving fails again. Then the unsaved pair is revoked, and another process signs in.
        world.clock.advance(by: 10)
        try expectUnsaved()
        world.change { world in
            world.cannotSave = false
            world.revoke()
            world.signIn("ada", at: "here")
        }
        try process.call()
        #expect(world.faults == [])
    }

    @Test("After another process signs out, this process renews nothing and stores nothing until someone signs in")
    func signedOut() throws {
        let world = RenewalWorld()
        let process = world.process("first")
        try process.call()
        world.change { ($0.stored, $0.access) = (nil, [:]) }
        for _ in 0..<2 {
            let error = thrown(ExchangeError.self) { try process.call() }
            guard case .credential(CredentialError.signInNeeded)? = error?.reason else { throw Fault.one }
            #expect(error?.kind == .unauthorized)
        }
        #expect(world.change { $0.stored == nil && $0.renewals == 0 })
        world.change { $0.signIn("ada", at: "here") }
        try process.call()
    }
}

/// A service, its token endpoint, and a token store that two processes share. If something happens that must not
/// happen, this class adds it to `faults`.
private final class RenewalWorld: Sendable {
    struct Entry { var (token, owner, origin): (OAuth2Token, String, String) }

    struct State {
        var stored: Entry?
        var (cannotSave, cannotLoad, isDown) = (false, false, false)
        /// The owners of valid access tokens and refresh tokens.
        var (access, refresh): ([String: String], [String: String]) = ([:], [:])
        var number = 0
        var renewals = 0
        var refusals: [String: Set<String>] = [:]
        var faults: [String] = []

        mutating func issue(_ owner: String) -> OAuth2Token {
            number += 1
            let (accessToken, refreshToken) = ("access-\(owner)-\(number)", "refresh-\(owner)-\(number)")
            (access[accessToken], refresh[refreshToken]) = (owner, owner)
            return OAuth2Token(accessToken: accessToken, refreshToken: refreshToken)
        }

        mutating func signIn(_ owner: String, at origin: String) {
            var token = issue(owner)
            if origin != "here" {
                // The token comes from another service, so this service doesn't know it.
                (access[token.accessToken], token.accessToken) = (nil, "foreign-\(number)")
            }
            stored = Entry(token: token, owner: owner, origin: origin)
        }

        mutating func revoke() { (access, refresh) = ([:], [:]) }
    }

    let clock = ManualTimekeeper(start: Date(timeIntervalSince1970: 1_700_000_000))
    private let state = Locked(State())

    init() { change { $0.signIn("ada", at: "here") } }

    @discardableResult
    func change<Value>(_ body: (inout State) -> Value) -> Value { state.withLock(body) }

    var faults: [String] { change(\.faults) }

    func process(_ name: String) -> RenewalProcess { RenewalProcess(name, self) }

    /// Renews a token pair like a token endpoint: each refresh token works once, and using it invalidates the old
    /// access token.
    func renew(_ old: OAuth2Token, by process: String) throws -> OAuth2Token {
        let outcome = change { state -> Result<OAuth2Token, any Error> in
            let refreshToken = old.refreshToken ?? ""
            if state.stored == nil, !state.cannotSave { state.faults.append("renewed while signed out") }
            if refreshToken.contains("foreign") { state.faults.append("sent a token of elsewhere") }
            if state.refusals[process, default: []].contains(refreshToken) {
                state.faults.append("sent a dead token again")
            }
            if state.isDown { return .failure(TransportError.unreachable("the token endpoint is down")) }
            guard let owner = state.refresh.removeValue(forKey: refreshToken) else {
                state.refusals[process, default: []].insert(refreshToken)
                return .failure(Self.refusal)
            }
            state.renewals += 1
            state.access[old.accessToken] = nil
            return .success(state.issue(owner))
        }
        return try outcome.get()
    }

    private static let refusal = ExchangeError(
        .status(400), context: RequestContext(method: .post, url: "token"),
        response: nil, message: "invalid_grant: It has ended.")
}

/// The token store of both processes. Loading fails for tokens that belong to another service.
private struct SharedStore: OAuth2TokenStore {
    let world: RenewalWorld

    func load() -> Promise<OAuth2Token?> {
        firstly {
            Promise.value(
                try world.change { state -> Result<OAuth2Token?, any Error> in
                    if state.cannotLoad || state.stored?.origin == "elsewhere" { return .failure(Fault.one) }
                    return .success(state.stored?.token)
                }.get())
        }
    }

    func save(_ token: OAuth2Token) -> Promise<Void> {
        firstly {
            Promise.value(
                try world.change { state -> Result<Void, any Error> in
                    if state.cannotSave { return .failure(Fault.two) }
                    guard let stored = state.stored else {
                        state.faults.append("saved while signed out")
                        return .success(())
                    }
                    state.stored = .init(token: token, owner: stored.owner, origin: stored.origin)
                    return .success(())
                }.get())
        }
    }
}

/// A service that answers each request with the name of the token's owner, or with a 401 if the token isn't valid.
private struct OwnerService: HTTPTransport {
    let world: RenewalWorld

    func send(_ request: OutgoingRequest) -> Promise<RawResponse> {
        let token = request.headers["Authorization"]?.split(separator: " ").last.map(String.init) ?? ""
        let owner = world.change { state -> String? in
            if token.contains("foreign") { state.faults.append("sent a token of elsewhere") }
            return state.access[token]
        }
        return .value(
            RawResponse(
                url: request.url, status: owner == nil ? 401 : 200, headers: ["Content-Type": "application/json"],
                body: Data(#"{"owner":"\#(owner ?? "")"}"#.utf8)))
    }
}

/// A process with its own token source, and with a client that acts for one person.
private struct RenewalProcess: Sendable {
    let owner = Locked<String?>(nil)
    private let world: RenewalWorld
    private let one: OneOwner<String>

    private struct Answer: Decodable { var owner: String }

    init(_ name: String, _ world: RenewalWorld) {
        self.world = world
        let tokens = OAuth2TokenSource(in: SharedStore(world: world), clock: world.clock.timekeeper) { old in
            firstly { Promise.value(try world.renew(old, by: name)) }
        }
        let options = EndpointClient.Options().with {
            $0.transport = OwnerService(world: world)
            $0.clock = world.clock.timekeeper
            $0.retry = .never
        }
        let address = URL(string: "https://here.example/") ?? URL(fileURLWithPath: "/")
        one = OneOwner(of: EndpointClient(baseURL: address, authorizer: .source(tokens), options: options)) { client in
            client.value(of: Endpoint<Answer>(.get, "owner")).map(on: nil, \.owner)
        } isSame: {
            $0 == $1
        }
    }

    /// Requests the owner and then data, and adds a fault if the data belongs to another person.
    func call() throws {
        let person = try one.owner().wait()
        owner.withLock { $0 = person }
        let found = try one.client.value(of: Endpoint<Answer>(.get, "data")).wait().owner
        if found != person { world.change { $0.faults.append("\(found)'s data for \(person)") } }
    }
}
