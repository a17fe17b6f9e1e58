import Foundation
import Pledge
import PledgeHTTP

extension ParticipantSession {
    /// A page of providers to connect to, by name. Wraps `GET api/v1/delegated/externalaccountproviders`.
    ///
    /// - Parameter query: what to look for; `query.page(after:)` asks for the next page, ``allPages(_:)`` for all.
    /// - Rejects: with ``MyDataHelpsError``.
    /// - Queue: handlers run where they ask to.
    /// - Cancellation: ends the request.
    public func queryExternalAccountProviders(
        _ query: ExternalAccountProvidersQuery
    ) -> Promise<ExternalAccountProvidersResultPage> {
        send(page: query)
    }

    /// Begins to connect the participant to a provider. Wraps
    /// `POST api/v1/delegated/externalaccountproviders/<id>/connect`.
    ///
    /// - Parameters:
    ///   - providerID: from ``ExternalAccountProvider/id``.
    ///   - finalRedirectURL: what the browser opens in the end, absolute: a universal link or a scheme of the app's
    ///     own. It must be on MyDataHelps's list of what your project may use.
    /// - Returns: the address to show in a browser. Each call begins anew, so it is never sent twice.
    /// - Rejects: with ``MyDataHelpsError``.
    /// - Queue: handlers run where they ask to.
    /// - Cancellation: ends the request.
    public func connectExternalAccount(
        providerID: ExternalAccountProvider.ID, finalRedirectURL: URL
    ) -> Promise<ExternalAccountAuthorization> {
        send(.connect(providerID, finalRedirectURL: finalRedirectURL))
    }

    /// The participant's connections. Wraps `GET api/v1/delegated/externalaccounts`.
    ///
    /// - Rejects: with ``MyDataHelpsError``.
    /// - Queue: handlers run where they ask to.
    /// - Cancellation: ends the request.
    public func listExternalAccounts() -> Promise<[ExternalAccount]> {
        send(.externalAccounts).map(on: nil) { list in
            self.client.note(list.unreadable, of: "externalaccounts")
            return list.accounts
        }
    }

    /// Asks the service to fetch an account's data again. Wraps `POST api/v1/delegated/externalaccounts/refresh/<id>`.
    ///
    /// Fulfilled when the service has begun; ``refreshAndFollowExternalAccount(_:pace:)`` waits until it is done.
    ///
    /// - Parameter id: from ``ExternalAccount/id``.
    /// - Rejects: with ``MyDataHelpsError``.
    /// - Queue: handlers run where they ask to.
    /// - Cancellation: ends the request; the service may have begun all the same.
    public func refreshExternalAccount(_ id: ExternalAccount.ID) -> Promise<Void> {
        send(.refreshExternalAccount(id))
    }

    /// Ends a connection and deletes the data that came through it. Wraps
    /// `DELETE api/cfhrprovideraccounts/account/<id>?deleteData=true`.
    ///
    /// - Parameter id: from ``ExternalAccount/id``. That it is gone already is no error.
    /// - Rejects: with ``MyDataHelpsError``.
    /// - Queue: handlers run where they ask to.
    /// - Cancellation: ends the request; the service may have deleted it all the same.
    public func deleteExternalAccount(_ id: ExternalAccount.ID) -> Promise<Void> {
        send(.deleteExternalAccount(id))
    }
}
