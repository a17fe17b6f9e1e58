import ExistKit
import Foundation
import MyDataHelpsKit

/// Creates all clients of a batch. They send when its schedule permits, which also handles retries.
struct BatchClients: Sendable {
    private let servers: BatchServers
    private let timeout: TimeInterval
    private let budget: EndpointClient.Budget

    init(_ options: BatchOptions) throws {
        servers = try BatchServers(options.context.environment)
        timeout = options.arguments[Access.timeout] ?? 30
        budget = options.settings.accountBudget
    }

    /// Receives items that could not be read, with the name of their list.
    typealias Note = @Sendable (_ list: String, UnreadableItem) -> Void

    /// The base URL of a service's accounts whose lines have none.
    func defaultAddress(of service: AccountID.Service) -> URL { servers.address(of: service, own: nil) }

    /// MyDataHelps announces in each response how many are left.
    static func limits(_ options: BatchOptions) -> [AccountID.Service: Int] {
        guard let rate = options.arguments[BatchOptions.rate] else { return [.exist: ExistAPI.limit] }
        return [.exist: rate, .mydatahelps: rate]
    }

    /// Returns the tokens of an account, for its clients.
    func tokens(_ slot: AccountSlot) -> AccountTokens {
        let meter = BudgetMeter(budget)
        let renewing = ExistAPI.defaultOptions.with { ($0.userAgent, $0.timeout) = (Version.userAgent, timeout) }
        return AccountTokens(
            slot.account.token.source({ mydatahelps(slot, meter) { _, _ in } }, address(of: slot.account), renewing),
            meter)
    }

    func exist(_ slot: AccountSlot, _ tokens: AccountTokens, _ note: @escaping Note = { _, _ in }) -> ExistAPI {
        ExistAPI(
            .source(tokens, scheme: slot.account.isSimpleToken ? "Token" : "Bearer"),
            baseURL: address(of: slot.account),
            options: options(ExistAPI.defaultOptions, slot, tokens.meter, note))
    }

    func participant(
        _ slot: AccountSlot, _ tokens: AccountTokens, _ note: @escaping Note = { _, _ in }
    ) -> ParticipantSession {
        ParticipantSession(client: mydatahelps(slot, tokens.meter, note), tokens: tokens)
    }

    private func mydatahelps(_ slot: AccountSlot, _ meter: BudgetMeter, _ note: @escaping Note) -> MyDataHelpsClient {
        MyDataHelpsClient(
            baseURL: address(of: slot.account), languageTag: "en",
            options: options(MyDataHelpsClient.defaultOptions, slot, meter, note))
    }

    private func address(of account: AccountLine) -> URL {
        servers.address(of: account.id.service, own: account.address)
    }

    private func options(
        _ options: EndpointClient.Options, _ slot: AccountSlot, _ meter: BudgetMeter, _ note: @escaping Note
    ) -> EndpointClient.Options {
        var options = slot.transport.options(options)
        (options.userAgent, options.timeout, options.meter) = (Version.userAgent, timeout, meter)
        options.onUnreadable = note
        options.advise = { [account = slot.account] error in
            switch (error.status, account.id.service) {
            case (401, .exist) where account.isSimpleToken:
                #"Check the token: only one created with a password has "kind":"simple" beside it."#
            case (401, .exist):
                #"Check the token: it may have expired. One created with a password needs "kind":"simple" beside it."#
            case (401, .mydatahelps) where account.token.mayChange:
                "Its token has expired or was revoked, and there was no newer one."
            case (401, .mydatahelps): "Put a new token into its line: tokens expire after a few hours."
            case (429, .exist): "Exist allows \(ExistAPI.limit) requests per hour for each token, across all clients."
            default: Settings.advice(error)
            }
        }
        return options
    }
}
