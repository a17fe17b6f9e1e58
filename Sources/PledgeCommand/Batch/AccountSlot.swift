import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeBatch

/// An account at work in a batch, with its tokens and its clients.
@dynamicMemberLookup
struct AccountSlot: Sendable {
    let account: AccountLine
    let tokens: AccountTokens
    private let batch: BatchSlot
    private let clients: BatchClients

    init(_ account: AccountLine, _ batch: BatchSlot, _ clients: BatchClients) {
        (self.account, self.batch, self.clients) = (account, batch, clients)
        tokens = clients.tokens(account, batch)
    }

    subscript<Value>(dynamicMember path: KeyPath<BatchSlot, Value>) -> Value { batch[keyPath: path] }

    /// Calls a closure whenever a request is about to wait, to free memory.
    func whenParked(_ spill: @escaping @Sendable () -> Void) { batch.whenParked(spill) }

    /// Receives items that could not be read, with the name of their list.
    typealias Note = @Sendable (_ list: String, UnreadableItem) -> Void

    func exist(_ note: @escaping Note = { _, _ in }) -> ExistAPI {
        ExistAPI(
            .source(tokens, scheme: account.isSimpleToken ? "Token" : "Bearer"), baseURL: clients.address(of: account),
            options: clients.options(ExistAPI.defaultOptions, account, batch, tokens.meter, note))
    }

    func participant(_ note: @escaping Note = { _, _ in }) -> ParticipantSession {
        ParticipantSession(client: clients.mydatahelps(account, batch, tokens.meter, note), tokens: tokens)
    }

    func error(_ error: any Error, section: String? = nil) -> AccountError {
        AccountError(error, section: section, hiding: tokens, isGarbled: batch.isGarbled)
    }
}

/// What the clients of a batch have in common. They send when its schedule permits, which also handles retries.
struct BatchClients: Sendable {
    private let servers: BatchServers
    private let timeout: TimeInterval
    private let budget: EndpointClient.Budget

    init(_ options: BatchOptions) throws {
        servers = try BatchServers(options.context.environment)
        timeout = options.arguments[Access.timeout] ?? 30
        budget = options.settings.accountBudget
    }

    /// The limit of each service; MyDataHelps announces in each response how many requests are left.
    static func limits(_ options: BatchOptions) -> [AccountID.Service: Int] {
        guard let rate = options.arguments[BatchOptions.rate] else { return [.exist: ExistAPI.limit] }
        return [.exist: rate, .mydatahelps: rate]
    }

    fileprivate func tokens(_ account: AccountLine, _ batch: BatchSlot) -> AccountTokens {
        let meter = BudgetMeter(budget)
        let renewing = ExistAPI.defaultOptions.with { ($0.userAgent, $0.timeout) = (Version.userAgent, timeout) }
        let client = { mydatahelps(account, batch, meter) { _, _ in } }
        return AccountTokens(account.token.source(client, address(of: account), renewing), meter)
    }

    fileprivate func address(of account: AccountLine) -> URL {
        servers.address(of: account.id.service, own: account.address)
    }

    fileprivate func mydatahelps(
        _ account: AccountLine, _ batch: BatchSlot, _ meter: BudgetMeter, _ note: @escaping AccountSlot.Note
    ) -> MyDataHelpsClient {
        MyDataHelpsClient(
            baseURL: address(of: account), languageTag: "en",
            options: options(MyDataHelpsClient.defaultOptions, account, batch, meter, note))
    }

    fileprivate func options(
        _ options: EndpointClient.Options, _ account: AccountLine, _ batch: BatchSlot, _ meter: BudgetMeter,
        _ note: @escaping AccountSlot.Note
    ) -> EndpointClient.Options {
        var options = batch.options(options)
        (options.userAgent, options.timeout, options.meter) = (Version.userAgent, timeout, meter)
        options.onUnreadable = note
        options.advise = { error in
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
