import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeBatch

/// The token of an account, and the only server that it is for.
struct Credential: Sendable {
    var authorizer: Authorizer
    var address: URL
    /// An environment variable, a profile, or the demo.
    var origin: String
    var isDemo = false
}

struct Account<Client: Sendable>: Sendable {
    var client: Client
    var credential: Credential
    /// Warnings about undecodable items that lists omit.
    var warnings: Warnings

    var isDemo: Bool { credential.isDemo }
    /// The source of the data as shown to the user: a host name or the built-in sandbox.
    var source: String { isDemo ? "the built-in sandbox" : credential.address.host ?? "" }
}

/// A thread-safe collection of warnings about undecodable items, of which there may be any number.
final class Warnings: Sendable {
    private let list = Locked<(first: [String], more: Int, hasLosses: Bool)>(([], 0, false))
    private static let mostKept = 100

    /// - Parameter isLost: Whether the item is missing, rather than there without a part of it.
    func add(_ warning: String, isLost: Bool = true) {
        list.withLock { list in
            list.hasLosses = list.hasLosses || isLost
            if list.first.count < Self.mostKept { list.first.append(warning) } else { list.more += 1 }
        }
    }

    /// The exit code of a command that has printed the lists: its own if any of them lacks an item.
    var exitCode: Int32 {
        (list.withLock(\.hasLosses) ? ExitCode.partial : .allDone).rawValue
    }

    var all: [String] { list.withLock { $0.more == 0 ? $0.first : $0.first + ["And \($0.more) more items."] } }
}

extension Access {
    typealias Adaptation = (inout EndpointClient.Options) -> Void

    func exist(_ credential: Credential, _ adapt: Adaptation = { _ in }) -> Account<ExistAPI> {
        account(.exist, credential, adapt) { options in
            ExistAPI(credential.authorizer, baseURL: credential.address, options: options)
        }
    }

    func participant(
        _ credential: Credential, language: String? = nil, _ adapt: Adaptation = { _ in }
    ) -> Account<ParticipantSession> {
        account(.mydatahelps, credential, adapt) { options in
            let client = MyDataHelpsClient(baseURL: credential.address, languageTag: language, options: options)
            return ParticipantSession(client: client, authorizer: credential.authorizer)
        }
    }

    /// Creates an account whose client records undecodable items and adds the tool's advice to errors.
    func account<Client>(
        _ service: Service, _ credential: Credential, _ adapt: Adaptation = { _ in },
        _ makeClient: (EndpointClient.Options) -> Client
    ) -> Account<Client> {
        let warnings = Warnings()
        let options = options(service).with { options in
            options.advise = advice(service)
            options.meter = BudgetMeter(settings.commandBudget, clock: options.clock)
            // Exist reports no wait: this one only holds requests back once the service says that none is left.
            if service == .exist { options.limiter = RateLimiter(limit: 1_000_000, clock: options.clock) }
            options.onUnreadable = { list, item in warnings.add("In \(list), \(item).", isLost: !item.isKept) }
            adapt(&options)
        }
        return Account(client: makeClient(options), credential: credential, warnings: warnings)
    }

    /// Returns the credential of the environment or a stored profile; nil if neither has one.
    ///
    /// - Parameter isNeeded: Whether an explicitly requested profile must have one.
    func credential(_ service: Service, isNeeded: Bool = true) throws -> Credential? {
        if let given = try given(service) { return given }
        guard let (name, profile, store) = try storedProfile(service, isNeeded: isNeeded) else { return nil }
        let origin = "profile \(name)"
        guard service == .exist else {
            return profile.mydatahelps.map {
                Credential(authorizer: .bearer($0.token), address: $0.address, origin: origin)
            }
        }
        return try profile.exist.map { stored in
            guard stored.isRenewable else {
                let authorizer = stored.kind.authorizer(stored.token.accessToken)
                return Credential(authorizer: authorizer, address: stored.address, origin: origin)
            }
            let tokens = try ProfileTokens(
                of: .exist, profile: name, in: store, at: stored.address, stored.kind
            ).source(options(.exist))
            return Credential(
                authorizer: .source(tokens, scheme: stored.kind.scheme), address: stored.address, origin: origin)
        }
    }

    /// Returns the environment's credential, which takes precedence over profiles; nil if no token is set.
    ///
    /// Throws if it is empty: a job whose secret is missing would otherwise store someone else's data, or none.
    private func given(_ service: Service) throws -> Credential? {
        guard let text = environment[service.tokenName] else { return nil }
        let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !token.isEmpty else {
            throw UsageError(
                "\(service.tokenName) is set, but empty: set it to a token, or unset it to use a stored account.")
        }
        guard !token.contains(where: { $0.isWhitespace || "\"'".contains($0) }) else {
            throw UsageError(
                "\(service.tokenName) contains a space or a quotation mark: set it to the token alone, without “Bearer”."
            )
        }
        let address = try service.address(environment)
        if let name = arguments[Self.profile] {
            terminal.tell("\(service.tokenName) is set, and takes precedence over the profile “\(name)”.")
        }
        let kind = service == .exist ? settings.tokenKind : .bearer
        return Credential(authorizer: kind.authorizer(token), address: address, origin: service.tokenName)
    }
}

extension EndpointClient.Options {
    /// Lets a job that has time wait as long as a service specifies. Exist, whose limit is hourly, specifies no wait.
    mutating func waitForLimits(with limiter: RateLimiter, _ rules: BatchRules, _ settings: Settings) {
        (retry, self.limiter) = (rules.retry, limiter)
        meter = BudgetMeter(settings.accountBudget, clock: clock)
        advise = { [advise] error in
            error.kind == .rateLimited ? "Try again then, or allow a longer wait with --wait." : advise(error)
        }
    }
}
