import Foundation
import PledgeCoding
import PledgeHTTP

/// A client that obtains tokens for users (<https://developer.exist.io/reference/authentication/oauth2/>). It needs the
/// client secret, so it belongs on a server of yours.
public struct ExistOAuth: Sendable {
    private let clientID: String
    let redirectURI: String
    private let baseURL: URL
    private let client: OAuth2Client
    private let plainHTTPHosts: Set<String>
    let clock: Timekeeper
    let makeState: @Sendable () -> String

    /// Creates a client for an app registered with Exist.
    ///
    /// - Parameters:
    ///   - clientID: The client ID, shown on the app's page in your account.
    ///   - clientSecret: The client secret, shown on the same page. It is never printed.
    ///   - redirectURI: The redirect URI, exactly as registered there.
    ///   - baseURL: The service's root URL.
    ///   - options: The transport, clock, and so on.
    ///   - makeState: Returns the state of a sign-in, which must be unguessable. The default returns 256 random bits.
    public init(
        clientID: String, clientSecret: String, redirectURI: String, baseURL: URL = ExistAPI.serviceURL,
        options: EndpointClient.Options = ExistAPI.defaultOptions,
        makeState: @escaping @Sendable () -> String = { SignIn.randomState() }
    ) {
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.baseURL = baseURL
        (clock, plainHTTPHosts) = (options.clock, options.plainHTTPHosts)
        self.makeState = makeState
        client = OAuth2Client(
            .exist(baseURL, options: options), path: "oauth2/access_token", clientID: clientID,
            clientSecret: clientSecret)
    }

    /// Returns the URL to open in the user's browser; ``signIn(scopes:)`` returns one with a state of its own.
    ///
    /// - Parameters:
    ///   - scopes: The scopes to request; request as few as possible.
    ///   - state: A secret for this browser, different each time, that identifies the redirect.
    /// - Returns: Nil if the state is empty, or if the base URL is neither `https` nor one of a host that
    ///   may be sent a token over `http`.
    public func authorizeURL(scopes: [ExistScope], state: String) -> URL? {
        guard !state.isEmpty, baseURL.mayCarrySecrets(trusting: plainHTTPHosts) else { return nil }
        let query: QueryItems = [
            "response_type": "code", "client_id": clientID, "redirect_uri": redirectURI,
            "scope": scopes.map(\.rawValue).joined(separator: " "), "state": state,
        ]
        return URL(string: "\(baseURL.appendingPathComponent("oauth2/authorize").absoluteString)?\(query.encoded)")
    }

    /// Exchanges a code, which is valid only once, for tokens. Wraps `POST oauth2/access_token`.
    public func token(for code: String) -> Promise<ExistToken> {
        client.token(["grant_type": "authorization_code", "code": code, "redirect_uri": redirectURI])
            .mapError(on: nil) { ExistError($0) }
    }

    /// Exchanges a refresh token for a new pair of tokens. Wraps `POST oauth2/access_token`.
    ///
    /// This immediately invalidates both old tokens: store the new pair before you use it, and never send two of these
    /// requests at once; ``ExistTokenSource`` takes care of both. It is retried only if it was refused or never sent.
    @Sendable public func refresh(_ token: ExistToken) -> Promise<ExistToken> {
        guard token.refreshToken != nil else {
            return .invalid("There is no refresh token: let the user sign in again.")
        }
        return client.refresh(token).mapError(on: nil) { ExistError($0) }
    }
}

extension ExistOAuth: Redacted {
    /// The client ID, but never the secret.
    public var description: String { "ExistOAuth(\(clientID))" }
}
