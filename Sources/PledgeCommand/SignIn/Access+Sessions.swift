import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeSandbox

/// An account that a command talks to.
struct Account<Client: Sendable>: Sendable {
    var client: Client
    /// Where the data is from, in words: a host's name, or the demo.
    var source: String
    /// Whether the data is invented.
    var isDemo = false
    /// Keeps the demo's server running.
    var server: SandboxServer?
    /// What was left out of lists because it could not be read.
    var warnings = Warnings()
    /// How the account was found, in words.
    var origin: String
    /// When the token runs out, as far as that is known.
    var validUntil: Date?
    /// What the service said about how many requests are left.
    var limiter = RateLimiter(limit: 1_000_000)
}

/// What could not be read, collected on the way.
final class Warnings: Sendable {
    private let list = Locked<[String]>([])

    func add(_ warning: String) { list.withLock { $0.append(warning) } }

    var all: [String] { list.withLock { $0 } }
}

extension Access {
    static let demoSource = "the built-in sandbox"

    private func options(
        _ usual: EndpointClient.Options, _ warnings: Warnings, _ limiter: RateLimiter? = nil
    ) -> EndpointClient.Options {
        usual.with { options in
            change(&options)
            options.limiter = limiter
            options.onUnreadable = { list, item in warnings.add("In \(list), \(item).") }
        }
    }

    /// The account of Exist.
    func exist() throws -> Account<ExistAPI> {
        let (warnings, limiter) = (Warnings(), RateLimiter(limit: 1_000_000))
        let options = options(ExistAPI.usualOptions, warnings, limiter)
        func account(
            _ client: ExistAPI, _ address: URL, _ origin: String, validUntil: Date? = nil
        ) -> Account<ExistAPI> {
            Account(
                client: client, source: address.host ?? "", warnings: warnings, origin: origin, validUntil: validUntil,
                limiter: limiter)
        }
        if let token = try token(.exist) {
            let address = try address(.exist)
            let kind = (arguments[Self.tokenKind] ?? .bearer).tokenKind
            noteIfProfileIsPassedOver(.exist)
            return account(
                ExistAPI(token: token, kind: kind, baseURL: address, options: options), address, "EXIST_TOKEN")
        }
        if environment[Service.exist.addressName, default: ""].isEmpty, let found = try storedProfile(.exist),
            let stored = found.profile.exist
        {
            let client: ExistAPI
            if let app = stored.app, stored.token.refreshToken != nil {
                let oauth = ExistOAuth(
                    clientID: app.clientID, clientSecret: app.clientSecret, redirectURI: app.redirectURI,
                    baseURL: stored.address, options: self.options(ExistAPI.usualOptions, warnings))
                let tokens = ProfileTokens(
                    stored.token, oauth, profile: found.name, in: found.store, clock: options.clock)
                client = ExistAPI(source: tokens, baseURL: stored.address, options: options)
            } else {
                client = ExistAPI(
                    token: stored.token.accessToken, kind: stored.kind.tokenKind, baseURL: stored.address,
                    options: options)
            }
            return account(client, stored.address, "profile \(found.name)", validUntil: stored.token.expiresAt)
        }
        try beginDemo(.exist)
        let sandbox = try ExistSandbox.start()
        let client = ExistAPI(token: sandbox.token, baseURL: sandbox.baseURL, options: options)
        return Account(
            client: client, source: Self.demoSource, isDemo: true, server: sandbox.server, warnings: warnings,
            origin: "demo", limiter: limiter)
    }

    /// The account of MyDataHelps.
    func participant() throws -> Account<ParticipantSession> {
        let warnings = Warnings()
        func session(_ token: String, _ address: URL) -> ParticipantSession {
            let client = MyDataHelpsClient(
                baseURL: address, options: options(MyDataHelpsClient.usualOptions, warnings))
            return ParticipantSession(client: client, accessToken: ParticipantAccessToken(token: token))
        }
        if let token = try token(.mydatahelps) {
            let address = try address(.mydatahelps)
            noteIfProfileIsPassedOver(.mydatahelps)
            return Account(
                client: session(token, address), source: address.host ?? "", warnings: warnings,
                origin: "MYDATAHELPS_TOKEN")
        }
        if environment[Service.mydatahelps.addressName, default: ""].isEmpty,
            let found = try storedProfile(.mydatahelps), let stored = found.profile.mydatahelps
        {
            return Account(
                client: session(stored.token, stored.address), source: stored.address.host ?? "", warnings: warnings,
                origin: "profile \(found.name)")
        }
        try beginDemo(.mydatahelps)
        let sandbox = try MyDataHelpsSandbox.start()
        return Account(
            client: session(sandbox.token, sandbox.baseURL), source: Self.demoSource, isDemo: true,
            server: sandbox.server, warnings: warnings, origin: "demo")
    }

    /// The environment wins; whoever asks for a profile by name should know.
    private func noteIfProfileIsPassedOver(_ service: Service) {
        guard let name = arguments[Self.profile] else { return }
        Terminal.tell("\(service.tokenName) is set, and wins over the profile “\(name)”.")
    }
}
