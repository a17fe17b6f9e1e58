import Foundation
import Pledge
import PledgeCoding
import PledgeHTTP

/// A MyDataHelps service account. A server uses it to get tokens for participants.
///
/// It requires the account's private key, so never use it in an app. See <doc:Tokens>.
public final class ServiceAccount: Sendable {
    /// A function that signs bytes with the account's RSA key and SHA-256 (PKCS #1 v1.5, which JWT calls RS256). It is
    /// called on a global queue, and may block.
    public typealias Signer = @Sendable (_ bytes: Data) throws -> Data

    /// The name of the service account.
    public let name: String
    /// The URL of the token endpoint. The signed claims name it as their audience.
    public let tokenURL: URL
    let client: MyDataHelpsClient
    let serviceTokens: ServiceTokens
    /// The client that sends endpoints with the account's own token.
    let endpoints: EndpointClient

    /// Creates a service account that signs with your key.
    ///
    /// - Parameters:
    ///   - name: The name of the account.
    ///   - client: The client that connects to MyDataHelps. Its base URL must have the host that your account belongs
    ///     to.
    ///   - makeID: A function that returns a unique identifier for each set of claims.
    ///   - sign: A function that signs with the account's private key.
    public convenience init(
        name: String, client: MyDataHelpsClient = MyDataHelpsClient(),
        makeID: @escaping @Sendable () -> UUID = { UUID() },
        sign: @escaping Signer
    ) {
        self.init(name: name, client: client, makeID: makeID, cached: SharedRenewal(), sign: sign)
    }

    /// Returns a copy of this account with another client, such as a client that reports unreadable items elsewhere.
    /// The copy and this account share one token.
    package func with(_ client: MyDataHelpsClient) -> ServiceAccount {
        ServiceAccount(
            name: name, client: client, makeID: serviceTokens.makeID, cached: serviceTokens.cached,
            sign: serviceTokens.sign)
    }

    private init(
        name: String, client: MyDataHelpsClient, makeID: @escaping @Sendable () -> UUID,
        cached: SharedRenewal<IssuedToken>, sign: @escaping Signer
    ) {
        let url = client.baseURL.appendingPathComponent(ServiceTokens.path)
        let tokens = ServiceTokens(
            account: name, url: url, client: client, makeID: makeID, sign: sign, cached: cached)
        self.name = name
        self.client = client
        serviceTokens = tokens
        tokenURL = url
        endpoints = client.endpointClient(
            .source(FetchedTokens { tokens.service(replacing: $0).map(on: nil, \.value) }))
    }

    /// The number of requests that were sent with the account's own token. It is 0 if the client has a meter, because
    /// the meter then counts these requests together with all others.
    package var ownRequestCount: Int { client.options.meter == nil ? endpoints.requestCount : 0 }
}

extension ServiceAccount: Redacted {
    /// A description with the account and the token endpoint.
    public var description: String { "ServiceAccount(\(name), \(tokenURL.redacted))" }
}
