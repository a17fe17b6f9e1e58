import Foundation
import Pledge
import PledgeCoding
import PledgeHTTP

extension ExternalAccountProvidersQuery {
    /// The request: `GET api/v1/delegated/externalaccountproviders`.
    public var endpoint: Endpoint<ExternalAccountProvidersResultPage> { endpoint(pageSize: limit) }

    /// The same; without a page size, which the service takes as a wish for all of them at once.
    func endpoint(pageSize: Int?) -> Endpoint<ExternalAccountProvidersResultPage> {
        let query: QueryItems = [
            "search": search, "category": category?.rawValue, "pageSize": pageSize,
            "pageNumber": pageSize.map { _ in pageNumber },
        ]
        return Endpoint(.get, "api/v1/delegated/externalaccountproviders", query: query) { reply in
            Page(result: try reply.json(Page.APIResponse.self), query: self)
        }
    }
}

extension Endpoint where Response == ExternalAccountAuthorization {
    /// Not repeatable: each call begins another authorization.
    static func connect(_ id: ExternalAccountProvider.ID, _ finalRedirectURL: URL) -> Endpoint {
        Endpoint(
            .post, "api/v1/delegated/externalaccountproviders/\(id)/connect",
            query: ["finalRedirectPath": finalRedirectURL.absoluteString], isRepeatable: false
        ) { reply in
            let text = try reply.json(String.self)
            // An app opens it, with what the participant is signed in to.
            guard let url = URL(string: text), url.mayCarrySecrets else {
                throw UnreadableReply.unexpected(path: "", problem: "it is no address of a secure page to sign in on")
            }
            return ExternalAccountAuthorization(
                providerID: id, authorizationURL: url, finalRedirectURL: finalRedirectURL)
        }
    }
}

extension Endpoint where Response == ItemList<ExternalAccount> {
    static var externalAccounts: Endpoint { Endpoint(.get, "api/v1/delegated/externalaccounts") }
}

extension Endpoint where Response == Void {
    /// Not repeatable: each call makes the service fetch again.
    static func refreshExternalAccount(_ id: ExternalAccount.ID) -> Endpoint {
        Endpoint(.post, "api/v1/delegated/externalaccounts/refresh/\(id)", isRepeatable: false) { _ in }
    }

    /// The only call outside `delegated`.
    static func deleteExternalAccount(_ id: ExternalAccount.ID) -> Endpoint {
        Endpoint(
            .delete, "api/cfhrprovideraccounts/account/\(id)", query: ["deleteData": true], isRepeatable: true
        ) { _ in }
    }
}

extension ParticipantSession {
    // One comment for the three styles of a call: promise, asynchronous, completion.

    /// A page of providers to connect to, by name. `GET api/v1/delegated/externalaccountproviders`
    ///
    /// To the completion go all providers at once, whatever the query's limit and page: that is what version 1 of the
    /// official SDK did.
    ///
    /// - Parameter query: what to look for; `query.page(after:)` asks for the next page, ``allPages(_:)`` for all.
    public func queryExternalAccountProviders(
        _ query: ExternalAccountProvidersQuery
    ) -> Promise<ExternalAccountProvidersResultPage> { page(query) }
    public func queryExternalAccountProviders(
        _ query: ExternalAccountProvidersQuery
    ) async throws(MyDataHelpsError) -> ExternalAccountProvidersResultPage { try await page(query) }
    public func queryExternalAccountProviders(
        _ query: ExternalAccountProvidersQuery, completion: @escaping Completion<[ExternalAccountProvider]>
    ) { report(send(query.endpoint(pageSize: nil)).map(on: nil) { $0.externalAccountProviders }, to: completion) }

    /// Begins to connect the participant to a provider. `POST api/v1/delegated/externalaccountproviders/<id>/connect`
    ///
    /// - Parameters:
    ///   - providerID: from ``ExternalAccountProvider/id``.
    ///   - finalRedirectURL: what the browser opens in the end, absolute: a universal link or a scheme of the app's
    ///     own. It must be on MyDataHelps's list of what your project may use.
    /// - Returns: the address to show in a browser. Each call begins anew, so it is never sent twice.
    public func connectExternalAccount(
        providerID: ExternalAccountProvider.ID, finalRedirectURL: URL
    ) -> Promise<ExternalAccountAuthorization> { send(.connect(providerID, finalRedirectURL)) }
    public func connectExternalAccount(
        providerID: ExternalAccountProvider.ID, finalRedirectURL: URL
    ) async throws(MyDataHelpsError) -> ExternalAccountAuthorization {
        try await value(of: send(.connect(providerID, finalRedirectURL)))
    }
    public func connectExternalAccount(
        provider: ExternalAccountProvider, finalRedirectURL: URL,
        completion: @escaping Completion<ExternalAccountAuthorization>
    ) {
        let answer = send(.connect(provider.id, finalRedirectURL))
        report(answer.map(on: nil) { $0.naming(provider) }, to: completion)
    }

    /// The participant's connections. `GET api/v1/delegated/externalaccounts`
    public func listExternalAccounts() -> Promise<[ExternalAccount]> { accounts() }
    public func listExternalAccounts() async throws(MyDataHelpsError) -> [ExternalAccount] {
        try await value(of: accounts())
    }
    public func listExternalAccounts(completion: @escaping Completion<[ExternalAccount]>) {
        report(accounts(), to: completion)
    }

    /// Asks the service to fetch an account's data again. `POST api/v1/delegated/externalaccounts/refresh/<id>`
    ///
    /// Fulfilled when the service has begun; `refreshAndFollowExternalAccount(_:pace:)` waits until it is done.
    ///
    /// - Parameter id: from ``ExternalAccount/id``.
    /// - Cancellation: ends the request; the service may have begun all the same.
    public func refreshExternalAccount(_ id: ExternalAccount.ID) -> Promise<Void> { send(.refreshExternalAccount(id)) }
    public func refreshExternalAccount(_ id: ExternalAccount.ID) async throws(MyDataHelpsError) {
        try await value(of: send(.refreshExternalAccount(id)))
    }
    public func refreshExternalAccount(_ account: ExternalAccount, completion: @escaping Completion<Void>) {
        report(send(.refreshExternalAccount(account.id)), to: completion)
    }

    /// Ends a connection and deletes the data that came through it.
    /// `DELETE api/cfhrprovideraccounts/account/<id>?deleteData=true`
    ///
    /// - Parameter id: from ``ExternalAccount/id``. That it is gone already is no error.
    /// - Cancellation: ends the request; the service may have deleted it all the same.
    public func deleteExternalAccount(_ id: ExternalAccount.ID) -> Promise<Void> { send(.deleteExternalAccount(id)) }
    public func deleteExternalAccount(_ id: ExternalAccount.ID) async throws(MyDataHelpsError) {
        try await value(of: send(.deleteExternalAccount(id)))
    }
    public func deleteExternalAccount(_ account: ExternalAccount, completion: @escaping Completion<Void>) {
        report(send(.deleteExternalAccount(account.id)), to: completion)
    }

    func accounts() -> Promise<[ExternalAccount]> { externalAccountList().map(on: nil) { $0.items } }

    /// Also says what could not be read.
    package func externalAccountList() -> Promise<ItemList<ExternalAccount>> { send(.externalAccounts) }
}
