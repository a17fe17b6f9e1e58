import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeBatch
import PledgeHTTP

/// An account that a batch is processing, with its tokens and clients. The clients send a request only when the batch's
/// schedule permits the request.
struct RunningAccount: Sendable {
    /// A closure that receives each item that could not be read, and the name of the list that contains the item.
    typealias Note = @Sendable (_ list: String, UnreadableItem) -> Void

    let line: AccountLine
    let tokens: any TokenSource
    let slot: BatchSlot
    private let issuer: ServiceAccount?
    private let address: URL
    private let options: EndpointClient.Options

    init(
        _ line: AccountLine, _ slot: BatchSlot, at address: URL, _ options: BatchOptions,
        onWait: (@Sendable (RequestWait) -> Void)?
    ) {
        let service = line.id.service
        let defaults = service == .exist ? ExistAPI.defaultOptions : MyDataHelpsClient.defaultOptions
        let scheduled = slot.options(
            defaults.with {
                $0.userAgent = Version.userAgent
                $0.timeout = options.timeout
                $0.onWait = onWait
                $0.plainHTTPHosts = options.settings.plainHTTPHosts
            })
        // The renewal of a stored account's token doesn't wait for this account's rate limits. The stored account is
        // locked during the renewal, and other programs wait for that lock.
        let renewing = scheduled.with { $0.gate = nil }
        // The budget covers all of the account's requests, including those with which a service account gets its
        // tokens. The renewal of a stored account's token isn't covered. It doesn't serve only this account: other
        // programs wait for it as well.
        let own = scheduled.with {
            $0.meter = BudgetMeter(options.settings.accountBudget, clock: $0.clock)
            $0.onUnreadable = { _, _ in }
            $0.advise = { Advice.about($0, of: service, token: .line(line.kind)) }
        }
        (tokens, issuer) = line.token.makeTokens({ Self.client(at: address, own) }, address, renewing)
        self.line = line
        self.slot = slot
        self.address = address
        self.options = own
    }

    func exist(_ note: @escaping Note = { _, _ in }) -> ExistAPI {
        ExistAPI(
            .source(tokens, scheme: line.kind.scheme), baseURL: address,
            options: options.with { $0.onUnreadable = note })
    }

    func participant(_ note: @escaping Note = { _, _ in }) -> ParticipantSession {
        ParticipantSession(
            client: Self.client(at: address, options.with { $0.onUnreadable = note }), tokens: tokens)
    }

    /// Returns the service account that issues the participant's tokens, or nil if the tokens come from elsewhere. Some
    /// lists can only be read by a service account.
    func serviceAccount(_ note: @escaping Note = { _, _ in }) -> ServiceAccount? {
        issuer?.with(Self.client(at: address, options.with { $0.onUnreadable = note }))
    }

    private static func client(at address: URL, _ options: EndpointClient.Options) -> MyDataHelpsClient {
        MyDataHelpsClient(baseURL: address, languageTag: "en", options: options)
    }

    func error(_ error: any Error, section: String? = nil) -> AccountError {
        AccountError(error, section: section, isGarbled: slot.isGarbled)
    }
}
