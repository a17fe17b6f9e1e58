import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeBatch

/// An account of a batch while its work runs, with its tokens and clients, which send as the batch's schedule permits.
struct AccountSlot: Sendable {
    /// Receives items that could not be read, with the name of their list.
    typealias Note = @Sendable (_ list: String, UnreadableItem) -> Void

    let account: AccountLine
    let tokens: any TokenSource
    let batch: BatchSlot
    private let address: URL
    private let options: EndpointClient.Options

    init(
        _ account: AccountLine, _ batch: BatchSlot, at address: URL, _ options: BatchOptions,
        onWait: (@Sendable (RequestWait) -> Void)?
    ) {
        var own = account.id.service == .exist ? ExistAPI.defaultOptions : MyDataHelpsClient.defaultOptions
        (own.userAgent, own.timeout) = (Version.userAgent, options.timeout)
        own.onWait = onWait
        own.plainHTTPHosts = options.settings.plainHTTPHosts
        let renewing = own
        own = batch.options(own)
        // The budget of all of the account's requests, including those for its tokens.
        own.meter = BudgetMeter(options.settings.accountBudget)
        (own.onUnreadable, own.advise) = ({ _, _ in }, account.advice)
        tokens = account.token.source({ [own] in Self.client(at: address, own) }, address, renewing)
        (self.account, self.batch, self.address, self.options) = (account, batch, address, own)
    }

    func exist(_ note: @escaping Note = { _, _ in }) -> ExistAPI {
        ExistAPI(
            .source(tokens, scheme: account.kind.scheme), baseURL: address,
            options: options.with { $0.onUnreadable = note })
    }

    func participant(_ note: @escaping Note = { _, _ in }) -> ParticipantSession {
        ParticipantSession(
            client: Self.client(at: address, options.with { $0.onUnreadable = note }), tokens: tokens)
    }

    /// Returns the service account that issues the participant's tokens, for what only such an account can read; nil if the
    /// tokens have another origin.
    func serviceAccount(_ note: @escaping Note = { _, _ in }) -> ServiceAccount? {
        (tokens as? ServiceAccountTokens)?.account.with(
            Self.client(at: address, options.with { $0.onUnreadable = note }))
    }

    private static func client(at address: URL, _ options: EndpointClient.Options) -> MyDataHelpsClient {
        MyDataHelpsClient(baseURL: address, languageTag: "en", options: options)
    }

    func error(_ error: any Error, section: String? = nil) -> AccountError {
        AccountError(error, section: section, isGarbled: batch.isGarbled)
    }
}

extension AccountLine {
    @Sendable func advice(_ error: ExchangeError) -> String? {
        switch error.reason {
        case .limited: return "Allow more with --wait, or repeat this account in another run."
        // The reason says why the token could not be renewed.
        case .credential: return nil
        default: break
        }
        return switch (error.kind, id.service) {
        case (.unauthorized, .exist) where kind == .simple:
            #"Check the token: only one created with a password has "kind":"simple" beside it."#
        case (.unauthorized, .exist):
            #"Check the token: it may have expired. One created with a password needs "kind":"simple" beside it."#
        case (.unauthorized, .mydatahelps):
            "Its token has expired or was revoked, and there was no newer one: they last a few hours."
        case (.rateLimited, .exist): "\(ExistAPI.limitText), across all clients."
        default: Settings.advice(error)
        }
    }
}
