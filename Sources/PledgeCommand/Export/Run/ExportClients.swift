import ExistKit
import Foundation
import MyDataHelpsKit

/// The one place where the export makes its clients: both services over one transport.
struct ExportClients: Sendable {
    let transport: any HTTPTransport
    let existURL: URL
    let myDataHelpsURL: URL
    let timeout: TimeInterval
    let retry: RetryRule
    let rate: Int?

    init(_ options: ExportOptions, environment: [String: String]) throws {
        transport = StandardTransport(options.transport, requestsInFlight: options.inFlight)
        existURL = try Self.address("EXIST_BASE_URL", environment) ?? ExistAPI.serviceURL
        myDataHelpsURL = try Self.address("MYDATAHELPS_BASE_URL", environment) ?? MyDataHelpsClient.serviceURL
        timeout = options.timeout
        // A batch has time: what a service asks to wait for, it waits for. Exist, which counts by the hour, does not say.
        retry = RetryRule(attempts: 5, longestWait: options.longestWait, limitDelay: 900)
        rate = options.rate
    }

    /// Exist allows 300 requests an hour for a token. MyDataHelps says with each reply how many are left.
    func slot(for account: AccountLine) -> AccountSlot {
        AccountSlot(limiter: RateLimiter(limit: rate ?? (account.id.service == .exist ? 300 : .max)))
    }

    func exist(_ account: AccountLine, token: String, _ slot: AccountSlot, _ draft: Draft) -> ExistAPI {
        ExistAPI(
            token: token, kind: account.isSimpleToken ? .simple : .bearer, baseURL: existURL,
            options: ExistAPI.usualOptions.with { adapt(&$0, slot, draft) })
    }

    func participant(_ account: AccountLine, token: String, _ slot: AccountSlot, _ draft: Draft) -> ParticipantSession {
        let client = MyDataHelpsClient(
            baseURL: myDataHelpsURL, languageTag: "en", userAgent: "pledge/\(CommandLineTool.version)",
            options: MyDataHelpsClient.usualOptions.with { adapt(&$0, slot, draft) })
        return ParticipantSession(client: client, accessToken: ParticipantAccessToken(token: token))
    }

    private func adapt(_ options: inout EndpointClient.Options, _ slot: AccountSlot, _ draft: Draft) {
        options.timeout = timeout
        options.transport = slot.watching(transport)
        options.retry = retry
        options.limiter = slot.limiter
        options.onUnreadable = { list, item in draft.note(unreadable: "In \(list), \(item).") }
    }

    private static func address(_ name: String, _ environment: [String: String]) throws -> URL? {
        let text = environment[name, default: ""]
        guard !text.isEmpty else { return nil }
        guard let address = URL(string: text), ["http", "https"].contains(address.scheme), address.host != nil else {
            throw UsageError("\(name) is not an address such as https://example.org/.")
        }
        return address
    }
}
