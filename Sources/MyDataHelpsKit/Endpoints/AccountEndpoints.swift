import Foundation
import PledgeHTTP
import PledgeCoding

extension ExternalAccountProvidersQuery {
    /// `GET api/v1/delegated/externalaccountproviders`
    public var endpoint: Endpoint<ExternalAccountProvidersResultPage> {
        var query = QueryItems()
        query.add("search", search)
        query.add("category", category?.rawValue)
        query.add("pageSize", limit)
        query.add("pageNumber", pageNumber)
        return Self.endpoint(query, pageNumber: pageNumber)
    }

    /// The same without a page size, which the service takes as a wish for all of them at once.
    var endpointForAll: Endpoint<ExternalAccountProvidersResultPage> {
        var query = QueryItems()
        query.add("search", search)
        query.add("category", category?.rawValue)
        return Self.endpoint(query, pageNumber: 0)
    }

    private static func endpoint(_ query: QueryItems, pageNumber: Int) -> Endpoint<Page> {
        Endpoint(.get, Endpoint<Page>.delegated("externalaccountproviders"), query: query) { reply in
            try reply.json(ProvidersReply.self).page(number: pageNumber)
        }
    }
}

extension Endpoint where Response == ExternalAccountAuthorization {
    /// Not repeatable: each call begins another authorization.
    static func connect(_ id: ExternalAccountProvider.ID, finalRedirectURL: URL) -> Endpoint {
        var query = QueryItems()
        query.add("finalRedirectPath", finalRedirectURL.absoluteString)
        return Endpoint(
            .post, delegated("externalaccountproviders/\(id)/connect"), query: query, isRepeatable: false
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

/// External accounts as the service lists them.
struct ExternalAccountList: Sendable {
    let accounts: [ExternalAccount]
    let unreadable: [UnreadableItem]
}

extension ExternalAccountList: Readable {
    init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        let list = try source.items(of: ExternalAccount.self)
        (accounts, unreadable) = (list.items, list.unreadable)
    }
}

extension Endpoint where Response == ExternalAccountList {
    static var externalAccounts: Endpoint { Endpoint(.get, delegated("externalaccounts")) }
}

extension Endpoint where Response == Void {
    /// Not repeatable: each call makes the service fetch again.
    static func refreshExternalAccount(_ id: ExternalAccount.ID) -> Endpoint {
        .action(.post, delegated("externalaccounts/refresh/\(id)"), isRepeatable: false)
    }

    /// The only call outside `delegated`.
    static func deleteExternalAccount(_ id: ExternalAccount.ID) -> Endpoint {
        var query = QueryItems()
        query.add("deleteData", true)
        return .action(.delete, "api/cfhrprovideraccounts/account/\(id)", query: query, isRepeatable: true)
    }
}
