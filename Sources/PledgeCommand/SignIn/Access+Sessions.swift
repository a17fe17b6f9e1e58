import ExistKit
import Foundation
import MyDataHelpsKit

struct Account<Client: Sendable>: Sendable {
    var client: Client
    /// The source of the data as shown to the user: a host name or the built-in sandbox.
    var source: String
    /// The origin of the account: an environment variable, a profile, or the demo.
    var origin: String
    /// Keeps the demo's server alive; nil for a real account.
    var demo: (any AnyObject & Sendable)?
    /// Warnings about undecodable items that lists omit.
    var warnings: Warnings
    /// The rate limiter, which records the remaining requests that Exist reported.
    var limiter: RateLimiter

    var isDemo: Bool { demo != nil }
}

/// A thread-safe collection of warnings about undecodable items, of which there may be any number.
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
    typealias Adaptation = (inout EndpointClient.Options) -> Void

    /// Returns the Exist account of the environment or a stored profile; nil if neither has one.
    ///
    /// - Parameter isNeeded: Whether an explicitly requested profile must have one.
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

    /// Returns the MyDataHelps account of the environment or a stored profile; nil if neither has one.
    ///
    /// - Parameter isNeeded: Whether an explicitly requested profile must have one.
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

    /// Creates an account whose client records undecodable items and adds the tool's advice to errors.
    func account<Client>(
        _ service: Service, at address: URL, origin: String, demo: (any AnyObject & Sendable)? = nil,
        _ adapt: Adaptation,
        _ makeClient: (EndpointClient.Options) -> Client
    ) -> Account<Client> {
        let (warnings, limiter) = (Warnings(), RateLimiter(limit: 1_000_000))
        let options = options(service).with { options in
            options.advise = advice(service)
            options.meter = BudgetMeter(settings.commandBudget, clock: options.clock)
            // The MyDataHelps client tracks its own rate limit.
            if service == .exist { options.limiter = limiter }
            options.onUnreadable = { list, item in warnings.add("In \(list), \(item).") }
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

    /// Returns the environment's token, which takes precedence over profiles, and its address; nil if it isn't set.
    ///
    /// Throws if it is empty: a job whose secret is missing would otherwise store someone else's data, or none.
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
