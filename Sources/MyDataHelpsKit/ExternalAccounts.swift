import Foundation
import Pledge
import PledgeCoding
import PledgeHTTP

extension ParticipantSession {
    /// Fetches the participant's connected accounts. `GET api/v1/delegated/externalaccounts`
    ///
    /// Accounts that can't be decoded are left out. To get those accounts, too, use ``externalAccountsPage()``.
    public func listExternalAccounts() -> Promise<[ExternalAccount]> { accounts() }
    public func listExternalAccounts() async throws(MyDataHelpsError) -> [ExternalAccount] {
        try await value(of: accounts())
    }
    public func listExternalAccounts(completion: @escaping Completion<[ExternalAccount]>) {
        deliver(accounts(), to: completion)
    }

    /// Requests a refresh of an account's data. `POST api/v1/delegated/externalaccounts/refresh/<id>`
    ///
    /// The call succeeds as soon as the service has started the refresh. To wait until it is complete, use
    /// `followExternalAccount(_:every:deadline:)`.
    @available(*, noasync, message: "await it in an async function; at a script's top level, it is a promise")
    public func refreshExternalAccount(_ id: ExternalAccount.ID) -> Promise<Void> { call(.refreshExternalAccount(id)) }
    public func refreshExternalAccount(_ id: ExternalAccount.ID) async throws(MyDataHelpsError) {
        try await value(of: call(.refreshExternalAccount(id)))
    }
    public func refreshExternalAccount(_ account: ExternalAccount, completion: @escaping Completion<Void>) {
        deliver(call(.refreshExternalAccount(account.id)), to: completion)
    }

    /// Removes an account and its data, if there is such an account.
    /// `DELETE api/cfhrprovideraccounts/account/<id>?deleteData=true`
    @available(*, noasync, message: "await it in an async function; at a script's top level, it is a promise")
    public func deleteExternalAccount(_ id: ExternalAccount.ID) -> Promise<Void> { call(.deleteExternalAccount(id)) }
    public func deleteExternalAccount(_ id: ExternalAccount.ID) async throws(MyDataHelpsError) {
        try await value(of: call(.deleteExternalAccount(id)))
    }
    public func deleteExternalAccount(_ account: ExternalAccount, completion: @escaping Completion<Void>) {
        deliver(call(.deleteExternalAccount(account.id)), to: completion)
    }

    /// Fetches the participant's connected accounts. `GET api/v1/delegated/externalaccounts`
    ///
    /// The page also lists the accounts that can't be decoded.
    public func externalAccountsPage() -> Promise<ExternalAccountsPage> { call(.externalAccounts) }

    /// Polls an account until its status is final. `GET api/v1/delegated/externalaccounts`
    ///
    /// Call this after the participant has connected the account, or after you have requested a refresh. The official
    /// SDK has no such call.
    ///
    /// At first, the service may not have started to fetch the data, and may still report the final status of an
    /// earlier refresh. So a final status is accepted only if the poll before it returned the same status, or a status
    /// that is not final.
    ///
    /// - Parameters:
    ///   - id: The account to poll.
    ///   - interval: The time before each poll, in seconds.
    ///   - deadline: The time limit for polling, in seconds.
    /// - Returns: The account with its final status: `fetchComplete`, `error`, or `unauthorized`. If it is
    ///   `unauthorized`, the participant must connect the account again.
    /// - Rejects: With ``MyDataHelpsError/timedOut(_:)`` at the time limit, and with ``MyDataHelpsError/unknown(_:)``
    ///   if the participant has no such account, or no longer has it.
    /// - Cancellation: Polling stops. The service continues to fetch the data.
    public func followExternalAccount(
        _ id: ExternalAccount.ID, every interval: TimeInterval = 10, deadline: TimeInterval = 600
    ) -> Promise<ExternalAccount> {
        poll(id, max(0, interval)).timeout(seconds: deadline, timekeeper: client.clock)
            .mapError(on: nil) { MyDataHelpsError($0) }
    }
    public func followExternalAccount(
        _ id: ExternalAccount.ID, every interval: TimeInterval = 10, deadline: TimeInterval = 600
    ) async throws(MyDataHelpsError) -> ExternalAccount {
        try await value(of: followExternalAccount(id, every: interval, deadline: deadline))
    }

    private func poll(
        _ id: ExternalAccount.ID, _ interval: TimeInterval, last: ExternalAccountStatus? = nil
    ) -> Promise<ExternalAccount> {
        after(seconds: interval, timekeeper: client.clock).then(on: .pledge) { _ in
            self.externalAccountsPage()
        }.then(on: nil) { page -> Promise<ExternalAccount> in
            guard let account = page.first(where: { $0.id == id }) else {
                throw FailureReason("the participant has no account \(id), or no longer has it")
            }
            let status = account.status
            let hasStarted = last.map { !$0.isFinal || $0 == account.status } ?? false
            return status.isFinal && hasStarted ? .value(account) : self.poll(id, interval, last: status)
        }
    }

    private func accounts() -> Promise<[ExternalAccount]> { externalAccountsPage().map(on: nil) { $0.items } }
}

extension Endpoint where Response == ExternalAccountsPage {
    static var externalAccounts: Endpoint { Endpoint(.get, "api/v1/delegated/externalaccounts") }
}

extension Endpoint where Response == Void {
    /// Returns the endpoint that requests a refresh. It is not repeatable, because each request makes the service fetch
    /// the data again.
    static func refreshExternalAccount(_ id: ExternalAccount.ID) -> Endpoint {
        Endpoint(.post, "api/v1/delegated/externalaccounts/refresh/\(id)", isRepeatable: false)
    }

    static func deleteExternalAccount(_ id: ExternalAccount.ID) -> Endpoint {
        Endpoint(.delete, "api/cfhrprovideraccounts/account/\(id)", query: ["deleteData": true])
    }
}

/// A participant's connection to an account at an external provider.
public struct ExternalAccount: Codable, Sendable, Equatable, Identifiable {
    /// A unique identifier for an account. It is not the identifier of the account's provider.
    public typealias ID = ScopedIdentifier<ExternalAccount, Int>

    /// The identifier of the account.
    public var id: ID
    /// The status of fetching the account's data.
    public var status: ExternalAccountStatus
    /// The provider of the connected account.
    public var provider: ExternalAccountProvider
    /// The date on which the service last fetched data; nil if it has never fetched any.
    public var lastRefreshDate: Date?

    /// Creates an account for use in tests and previews.
    public init(
        id: ID, status: ExternalAccountStatus, provider: ExternalAccountProvider, lastRefreshDate: Date? = nil
    ) {
        self.id = id
        self.status = status
        self.provider = provider
        self.lastRefreshDate = lastRefreshDate
    }
}

/// All connected accounts of a participant. The service does not divide them into pages.
public struct ExternalAccountsPage: ResultPage, Codable, Equatable {
    /// The type of the items on the page.
    public typealias Element = ExternalAccount

    public var items: [ExternalAccount]
    public var unreadable: [UnreadableItem]

    /// Creates a page for use in tests and previews.
    public init(items: [ExternalAccount], unreadable: [UnreadableItem] = []) {
        self.items = items
        self.unreadable = unreadable
    }
}

/// The status of the data of an external account.
public struct ExternalAccountStatus: ServiceWord {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// All data has been fetched.
    public static let fetchComplete = ExternalAccountStatus(rawValue: "fetchComplete")
    /// Data is being fetched.
    public static let fetchingData = ExternalAccountStatus(rawValue: "fetchingData")
    /// Data could not be fetched.
    public static let error = ExternalAccountStatus(rawValue: "error")
    /// The participant must connect the account again.
    public static let unauthorized = ExternalAccountStatus(rawValue: "unauthorized")

    /// Whether the service has stopped fetching data, with or without success. A final status remains until someone
    /// refreshes or connects the account again.
    public var isFinal: Bool { [.fetchComplete, .error, .unauthorized].contains(self) }
}

extension ExternalAccountsPage: Readable {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        let list = try source.items(of: ExternalAccount.self)
        self.init(items: list.items, unreadable: list.unreadable)
    }

    /// Encodes the accounts as a list, without those that could not be decoded.
    public func encode(to encoder: any Encoder) throws { try items.encode(to: encoder) }
}

extension ExternalAccount: Readable {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        id = ID(try fields.required("id").lenientInt())
        status = try fields.required("status").word()
        provider = try ExternalAccountProvider(reading: fields.required("provider"))
        lastRefreshDate = fields.optionalDate("lastRefreshDate")
    }
}

/// An authorization that the participant completes in a browser to connect to a provider.
///
/// Open ``authorizationURL`` in a browser such as `SFSafariViewController`, and not in a web view. When a URL opens
/// your app and ``isFinalRedirect(_:)`` returns true for that URL, close the browser.
///
/// The participant may also give up earlier. Only `listExternalAccounts()` shows whether the account was connected.
public struct ExternalAccountAuthorization: Sendable, Equatable {
    /// The identifier of the provider to connect to.
    public var providerID: ExternalAccountProvider.ID
    /// The provider; nil if the caller passed only the identifier of the provider.
    public var provider: ExternalAccountProvider?
    /// The URL of the sign-in page. It is an `https` URL, or an `http` URL on this machine.
    ///
    /// The URL is personal, expires soon, and is valid only once. Keep it out of logs.
    public var authorizationURL: URL
    /// The URL to which the browser redirects at the end.
    public var finalRedirectURL: URL

    /// Creates an authorization for use in tests and previews.
    public init(
        providerID: ExternalAccountProvider.ID, provider: ExternalAccountProvider? = nil, authorizationURL: URL,
        finalRedirectURL: URL
    ) {
        self.providerID = providerID
        self.provider = provider
        self.authorizationURL = authorizationURL
        self.finalRedirectURL = finalRedirectURL
    }

    /// Returns whether a URL that opened the app is the final redirect. The scheme, the host, the port, and the path
    /// must match ``finalRedirectURL``. The query and the fragment may differ, because the service may add to them.
    public func isFinalRedirect(_ url: URL) -> Bool {
        url.redirectTarget.map { $0 == finalRedirectURL.redirectTarget } ?? false
    }
}

extension ExternalAccountAuthorization: Redacted {
    /// A description with the provider and the final redirect, but never the personal URL.
    public var description: String {
        "ExternalAccountAuthorization(provider \(providerID), redirects to "
            + "\(finalRedirectURL.redirectTarget ?? "an invalid URL"))"
    }
}
