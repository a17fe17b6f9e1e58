import Dispatch
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
    private let sign: Signer
    private let makeID: @Sendable () -> UUID
    private let cached: SingleFlight<IssuedToken>
    private let sent = Locked(0)

    /// The time for which signed claims are valid, in seconds.
    private static let validity = 200
    private static let path = "identityserver/connect/token"

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
        self.init(name: name, client: client, makeID: makeID, cached: SingleFlight(), sign: sign)
    }

    /// Returns a copy of this account with another client, such as a client that reports unreadable items elsewhere.
    /// The copy and this account share one token.
    package func with(_ client: MyDataHelpsClient) -> ServiceAccount {
        ServiceAccount(name: name, client: client, makeID: makeID, cached: cached, sign: sign)
    }

    private init(
        name: String, client: MyDataHelpsClient, makeID: @escaping @Sendable () -> UUID,
        cached: SingleFlight<IssuedToken>, sign: @escaping Signer
    ) {
        self.name = name
        self.cached = cached
        self.client = client
        self.sign = sign
        self.makeID = makeID
        tokenURL = client.baseURL.appendingPathComponent(Self.path)
    }

    /// A client that sends endpoints with the account's own token.
    var endpoints: EndpointClient {
        let tokens = FetchedTokens { self.serviceToken(replacing: $0).map(on: nil, \.value) }
        let options = client.options.with { [sent, observer = client.options.observer] in
            $0.observer = { event in
                if case .sent = event.kind { sent.withLock { $0 += 1 } }
                observer?(event)
            }
        }
        return EndpointClient(baseURL: client.baseURL, authorizer: .source(tokens), options: options)
    }

    /// The number of requests that were sent with the account's own token. It is 0 if the client has a meter, because
    /// the meter then counts these requests together with all others.
    package var ownRequestCount: Int { client.options.meter == nil ? sent.withLock { $0 } : 0 }

    func serviceToken(replacing rejected: String?) -> Promise<IssuedToken> {
        cached.token(client.clock, replacing: rejected) { self.newServiceToken() }
    }

    private func newServiceToken() -> Promise<IssuedToken> {
        let expires = Int(client.clock.now().timeIntervalSince1970) + Self.validity
        let claims: [String: JSONValue] = [
            "iss": .string(name), "sub": .string(name), "aud": .string(tokenURL.absoluteString),
            // The expiration is in seconds since 1970. One table of the vendor's documentation says otherwise.
            "exp": .integer(expires), "jti": .string(makeID().uuidString.lowercased()),
        ]
        let sign = sign
        let signed: Promise<String> = DispatchQueue.global().async(.promise) {
            let parts = [try JSONEncoder.text(["alg": "RS256", "typ": "JWT"]), try JSONEncoder.text(claims)]
            let text = parts.map { Self.base64URL(Data($0.utf8)) }.joined(separator: ".")
            return "\(text).\(Self.base64URL(try sign(Data(text.utf8))))"
        }
        return signed.mapError(on: nil) { MyDataHelpsError.encodingError($0) }
            .then(on: nil) { text -> Promise<IssuedToken> in
                self.request([
                    "scope": "api",
                    "grant_type": "client_credentials",
                    "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
                    "client_assertion": text,
                ])
            }
    }

    private static func base64URL(_ bytes: Data) -> String {
        bytes.base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }

    func request(_ form: QueryItems) -> Promise<IssuedToken> {
        // The token's lifetime starts at the time of the request.
        let asked = client.clock.now()
        let endpoint = Endpoint<TokenOutput>(.post, Self.path, body: .form(form), isRepeatable: false)
        return client.endpointClient(.none).send(endpoint).map(on: nil) { decoded in
            IssuedToken(decoded.value, asked: asked)
        }.mapError(on: nil) { MyDataHelpsError($0) }
    }
}

extension ServiceAccount: Redacted {
    /// A description with the account and the token endpoint.
    public var description: String { "ServiceAccount(\(name), \(tokenURL.redacted))" }
}
