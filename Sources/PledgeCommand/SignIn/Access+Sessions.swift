import ExistKit
import Foundation
import MyDataHelpsKit

/// An account that a command uses.
struct Account<Client: Sendable>: Sendable {
    var client: Client
    /// The source of the data, as shown to the user: a host name or the built-in sandbox.
    var source: String
    /// Where the account was found: an environment variable, a profile, or the demo.
    var origin: String
    /// What the demo's data comes from, and needs to be kept; nil for a real account.
    var demo: (any AnyObject & Sendable)?
    /// The items that were left out of lists because they couldn't be read.
    var warnings: Warnings
    /// The rate limiter, which holds the number of remaining requests that Exist reported.
    var limiter: RateLimiter

    /// Whether the data is invented.
    var isDemo: Bool { demo != nil }
}

/// A thread-safe collection of warnings about items that couldn't be read, of which there may be any number.
final class Warnings: Sendable {
    private let list = Locked<(first: [String], more: Int)>(([], 0))
    private static let mostKept = 100

    func add(_ warning: String) {
        list.withLock { list in
            if list.first.count < Self.mostKept { list.first.append(warning) } else { list.more += 1 }
        }
    }

    var all: [String] { list.withLock { $0.more == 0 ? $0.first : $0.first + ["And \($0.more) more items."] } }
}

extension Access {
    /// A change that a command makes to its client's options.
    typealias Adaptation = (inout EndpointClient.Options) -> Void

    /// Returns the Exist account that the environment or a stored profile specifies; nil if neither does.
    ///
    /// - Parameter isNeeded: Whether a profile that was requested explicitly must have one.
    func existAccount(isNeeded: Bool = true, _ adapt: Adaptation = { _ in }) throws -> Account<ExistAPI>? {
        if let (token, address) = try given(.exist) {
            return account(.exist, at: address, origin: Service.exist.tokenName, adapt) { options in
                ExistAPI(token: token, kind: settings.tokenKind.tokenKind, baseURL: address, options: options)
            }
        }
        guard let found = try storedProfile(.exist, isNeeded: isNeeded), let stored = found.profile.exist else {
            return nil
        }
        return account(.exist, at: stored.address, origin: "profile \(found.name)", adapt) { options in
            if let tokens = stored.renewableTokens(profile: found.name, in: found.store, self.options(.exist)) {
                return ExistAPI(source: tokens, baseURL: stored.address, options: options)
            }
            return ExistAPI(
                token: stored.token.accessToken, kind: stored.kind.tokenKind, baseURL: stored.address, options: options)
        }
    }

    /// Returns the MyDataHelps account that the environment or a stored profile specifies; nil if neither does.
    ///
    /// - Parameter isNeeded: Whether a profile that was requested explicitly must have one.
    func participantAccount(
        isNeeded: Bool = true, language: String? = nil, _ adapt: Adaptation = { _ in }
    ) throws -> Account<ParticipantSession>? {
        if let (token, address) = try given(.mydatahelps) {
            return account(.mydatahelps, at: address, origin: Service.mydatahelps.tokenName, adapt) { options in
                session(token, address, options, language)
            }
        }
        guard let found = try storedProfile(.mydatahelps, isNeeded: isNeeded), let stored = found.profile.mydatahelps
        else { return nil }
        return account(.mydatahelps, at: stored.address, origin: "profile \(found.name)", adapt) { options in
            session(stored.token, stored.address, options, language)
        }
    }

    /// Creates an account whose client records what it can't read and adds the tool's advice to errors.
    func account<Client>(
        _ service: Service, at address: URL, origin: String, demo: (any AnyObject & Sendable)? = nil,
        _ adapt: Adaptation,
        _ makeClient: (EndpointClient.Options) -> Client
    ) -> Account<Client> {
        let (warnings, limiter) = (Warnings(), RateLimiter(limit: 1_000_000))
        let options = options(service).with { options in
            options.advise = advice(service)
            options.meter = BudgetMeter(settings.commandBudget, clock: options.clock)
            // The MyDataHelps client tracks its rate limit by itself.
            if service == .exist { options.limiter = limiter }
            options.onUnreadable = { list, item in if !item.isKept { warnings.add("In \(list), \(item).") } }
            adapt(&options)
        }
        return Account(
            client: makeClient(options), source: demo == nil ? address.host ?? "" : "the built-in sandbox",
            origin: origin, demo: demo, warnings: warnings, limiter: limiter)
    }

    func session(
        _ token: String, _ address: URL, _ options: EndpointClient.Options, _ language: String? = nil
    ) -> ParticipantSession {
        let client = MyDataHelpsClient(baseURL: address, languageTag: language, options: options)
        return ParticipantSession(client: client, accessToken: ParticipantAccessToken(token: token))
    }

    /// Returns the environment's token and its address; nil if its variable isn't set. It takes precedence over profiles.
    ///
    /// Throws if it is empty: the secret is missing, and a job that went on would store someone else's data, or none.
    private func given(_ service: Service) throws -> (token: String, address: URL)? {
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
        return (token, address)
    }
}
