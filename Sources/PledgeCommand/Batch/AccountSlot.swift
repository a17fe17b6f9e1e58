import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeBatch

/// An account of a batch while its work runs, with its tokens and clients.
@dynamicMemberLookup
struct AccountSlot: Sendable {
    let account: AccountLine
    let tokens: AccountTokens
    private let clients: AccountClients

    init(_ account: AccountLine, _ batch: BatchSlot, at address: URL, _ options: BatchOptions) {
        let clients = AccountClients(
            account: account, batch: batch, address: address, timeout: options.arguments[Access.timeout] ?? 30,
            meter: BudgetMeter(options.settings.accountBudget), plainHTTPHosts: options.settings.plainHTTPHosts)
        let renewing = ExistAPI.defaultOptions.with {
            ($0.userAgent, $0.timeout) = (Version.userAgent, clients.timeout)
            $0.plainHTTPHosts = clients.plainHTTPHosts
        }
        let source = account.token.source({ clients.mydatahelps { _, _ in } }, address, renewing)
        (self.account, self.clients, tokens) = (account, clients, AccountTokens(source))
    }

    subscript<Value>(dynamicMember path: KeyPath<BatchSlot, Value>) -> Value { clients.batch[keyPath: path] }

    /// Calls a closure before each wait of a request, to free memory.
    func whenParked(_ spill: @escaping @Sendable () -> Void) { clients.batch.whenParked(spill) }

    /// Receives items that could not be read, with the name of their list.
    typealias Note = @Sendable (_ list: String, UnreadableItem) -> Void

    func exist(_ note: @escaping Note = { _, _ in }) -> ExistAPI {
        ExistAPI(
            .source(tokens, scheme: account.isSimpleToken ? "Token" : "Bearer"), baseURL: clients.address,
            options: clients.options(ExistAPI.defaultOptions, note))
    }

    func participant(_ note: @escaping Note = { _, _ in }) -> ParticipantSession {
        ParticipantSession(client: clients.mydatahelps(note), tokens: tokens)
    }

    func error(_ error: any Error, section: String? = nil) -> AccountError {
        AccountError(error, section: section, hiding: tokens, isGarbled: clients.batch.isGarbled)
    }
}

/// The clients of an account, which send as the batch's schedule permits.
private struct AccountClients: Sendable {
    let account: AccountLine
    let batch: BatchSlot
    let address: URL
    let timeout: TimeInterval
    /// The budget of all of the account's requests, including those for its tokens.
    let meter: BudgetMeter
    let plainHTTPHosts: Set<String>

    func mydatahelps(_ note: @escaping AccountSlot.Note) -> MyDataHelpsClient {
        MyDataHelpsClient(
            baseURL: address, languageTag: "en", options: options(MyDataHelpsClient.defaultOptions, note))
    }

    func options(
        _ options: EndpointClient.Options, _ note: @escaping AccountSlot.Note
    ) -> EndpointClient.Options {
        var options = batch.options(options)
        (options.userAgent, options.timeout, options.meter) = (Version.userAgent, timeout, meter)
        options.plainHTTPHosts = plainHTTPHosts
        options.onUnreadable = note
        options.advise = { [account] error in
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
