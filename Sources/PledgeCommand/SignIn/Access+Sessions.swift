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

    /// What a command changes of how a client asks.
    typealias Adaptation = (inout EndpointClient.Options) -> Void

    private func options(
        _ service: Service, _ warnings: Warnings, _ limiter: RateLimiter? = nil, _ adapt: Adaptation = { _ in }
    ) -> EndpointClient.Options {
        (service == .exist ? ExistAPI.usualOptions : MyDataHelpsClient.usualOptions).with { options in
            change(&options)
            options.advise = advice(service)
            options.limiter = limiter
            options.onUnreadable = { list, item in warnings.add("In \(list), \(item).") }
            adapt(&options)
        }
    }

    /// The account of Exist, or else the demo's.
    func exist() throws -> Account<ExistAPI> {
        if let account = try existAccount() { return account }
        try beginDemo(.exist)
        return try existDemo()
    }

    func existDemo(_ adapt: Adaptation = { _ in }) throws -> Account<ExistAPI> {
        let (sandbox, warnings, limiter) = (try ExistSandbox.start(), Warnings(), RateLimiter(limit: 1_000_000))
        let options = options(.exist, warnings, limiter, adapt)
        return Account(
            client: ExistAPI(token: sandbox.token, baseURL: sandbox.baseURL, options: options),
            source: Self.demoSource, isDemo: true, server: sandbox.server, warnings: warnings, origin: "demo",
            limiter: limiter)
    }

    /// The account of Exist that the environment or a stored profile names; nil where neither does.
    ///
    /// - Parameter isNeeded: whether a profile that was asked for has to have one.
    func existAccount(isNeeded: Bool = true, _ adapt: Adaptation = { _ in }) throws -> Account<ExistAPI>? {
        let (warnings, limiter) = (Warnings(), RateLimiter(limit: 1_000_000))
        let options = options(.exist, warnings, limiter, adapt)
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
        if let found = try storedProfile(.exist, isNeeded: isNeeded), let stored = found.profile.exist {
            let client: ExistAPI
            if let app = stored.app, stored.token.refreshToken != nil {
                let oauth = ExistOAuth(
                    clientID: app.clientID, clientSecret: app.clientSecret, redirectURI: app.redirectURI,
                    baseURL: stored.address, options: ExistAPI.usualOptions.with(change))
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
        return nil
    }

    /// The account of MyDataHelps, or else the demo's.
    func participant() throws -> Account<ParticipantSession> {
        if let account = try participantAccount() { return account }
        try beginDemo(.mydatahelps)
        return try participantDemo()
    }

    func participantDemo(
        language: String? = nil, _ adapt: Adaptation = { _ in }
    ) throws -> Account<ParticipantSession> {
        let (sandbox, warnings) = (try MyDataHelpsSandbox.start(), Warnings())
        return Account(
            client: session(sandbox.token, sandbox.baseURL, options(.mydatahelps, warnings, nil, adapt), language),
            source: Self.demoSource, isDemo: true, server: sandbox.server, warnings: warnings, origin: "demo")
    }

    /// The account of MyDataHelps that the environment or a stored profile names; nil where neither does.
    ///
    /// - Parameter isNeeded: whether a profile that was asked for has to have one.
    func participantAccount(
        isNeeded: Bool = true, language: String? = nil, _ adapt: Adaptation = { _ in }
    ) throws -> Account<ParticipantSession>? {
        let warnings = Warnings()
        let options = options(.mydatahelps, warnings, nil, adapt)
        if let token = try token(.mydatahelps) {
            let address = try address(.mydatahelps)
            noteIfProfileIsPassedOver(.mydatahelps)
            return Account(
                client: session(token, address, options, language), source: address.host ?? "", warnings: warnings,
                origin: "MYDATAHELPS_TOKEN")
        }
        guard let found = try storedProfile(.mydatahelps, isNeeded: isNeeded), let stored = found.profile.mydatahelps
        else { return nil }
        return Account(
            client: session(stored.token, stored.address, options, language), source: stored.address.host ?? "",
            warnings: warnings, origin: "profile \(found.name)")
    }

    private func session(
        _ token: String, _ address: URL, _ options: EndpointClient.Options, _ language: String? = nil
    ) -> ParticipantSession {
        let client = MyDataHelpsClient(baseURL: address, languageTag: language, options: options)
        return ParticipantSession(client: client, accessToken: ParticipantAccessToken(token: token))
    }

    /// The environment wins; whoever asks for a profile by name should know.
    private func noteIfProfileIsPassedOver(_ service: Service) {
        guard let name = arguments[Self.profile] else { return }
        Terminal.tell("\(service.tokenName) is set, and wins over the profile “\(name)”.")
    }
}
