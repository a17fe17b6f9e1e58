import ExistKit
import Foundation
import MyDataHelpsKit

/// Creates all clients of a batch. They send when its schedule permits, which also handles retries.
struct BatchClients: Sendable {
    private let servers: BatchServers
    let timeout: TimeInterval
    let budget: EndpointClient.Budget

    init(_ options: BatchOptions) throws {
        servers = try BatchServers(options.context.environment)
        timeout = options.timeout
        budget = options.budget
    }

    /// Receives items that could not be read, with the name of their list.
    typealias Note = @Sendable (_ list: String, UnreadableItem) -> Void

    /// Returns the base URL of an account.
    func address(of account: AccountLine) -> URL { servers.address(of: account.id.service, own: account.address) }

    /// The base URL of a service's accounts whose lines have none.
    func defaultAddress(of service: AccountID.Service) -> URL { servers.address(of: service, own: nil) }

    /// MyDataHelps announces in each response how many are left.
    static func limits(_ rate: Int?) -> [AccountID.Service: Int] {
        guard let rate else { return [.exist: ExistAPI.limit] }
        return [.exist: rate, .mydatahelps: rate]
    }

    /// Returns the tokens of an account, for its clients.
    func tokens(_ slot: AccountSlot) -> AccountTokens {
        let meter = BudgetMeter(budget)
        let renewing = ExistAPI.defaultOptions.with { ($0.userAgent, $0.timeout) = (Version.userAgent, timeout) }
        return AccountTokens(
            slot.account.token.tokens(
                over: mydatahelps(slot, meter) { _, _ in }, at: address(of: slot.account), renewing), meter)
    }

    func exist(
        _ slot: AccountSlot, _ tokens: AccountTokens, _ note: @escaping Note
    ) -> ExistAPI {
        let scheme = slot.account.isSimpleToken ? "Token" : "Bearer"
        return ExistAPI(
            .source(tokens, scheme: scheme), baseURL: address(of: slot.account),
            options: ExistAPI.defaultOptions.with { adapt(&$0, slot, tokens.meter, note) })
    }

    func participant(
        _ slot: AccountSlot, _ tokens: AccountTokens, _ note: @escaping Note
    ) -> ParticipantSession {
        ParticipantSession(client: mydatahelps(slot, tokens.meter, note), tokens: tokens)
    }

    private func mydatahelps(
        _ slot: AccountSlot, _ meter: BudgetMeter, _ note: @escaping Note
    ) -> MyDataHelpsClient {
        MyDataHelpsClient(
            baseURL: address(of: slot.account), languageTag: "en",
            options: MyDataHelpsClient.defaultOptions.with { adapt(&$0, slot, meter, note) })
    }

    private func adapt(
        _ options: inout EndpointClient.Options, _ slot: AccountSlot, _ meter: BudgetMeter,
        _ note: @escaping Note
    ) {
        options.userAgent = Version.userAgent
        options.timeout = timeout
        options = slot.transport.options(options)
        options.meter = meter
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
        options.onUnreadable = note
    }
}
