import Foundation
import PledgeCoding
import PledgeHTTP

/// Getting tokens for other people's accounts. It needs the client's secret, so it belongs on a server of yours.
///
/// https://developer.exist.io/reference/authentication/oauth2/
public struct ExistOAuth: Sendable {
    private let clientID: String
    private let secret: @Sendable () -> String
    let redirectURI: String
    private let baseURL: URL
    private let client: EndpointClient
    let clock: Timekeeper
    let makeState: @Sendable () -> String

    /// An app's way to tokens.
    ///
    /// - Parameters:
    ///   - clientID: from the page of the app in one's account.
    ///   - clientSecret: from there, too. It is never printed.
    ///   - redirectURI: exactly as registered there.
    ///   - baseURL: the service's root.
    ///   - options: transport, clock and the like.
    ///   - makeState: makes the state of each sign-in, which nobody may guess: 256 random bits unless given.
    public init(
        clientID: String, clientSecret: String, redirectURI: String, baseURL: URL = ExistAPI.serviceURL,
        options: EndpointClient.Options = ExistAPI.usualOptions,
        makeState: @escaping @Sendable () -> String = { SignIn.randomState() }
    ) {
        self.clientID = clientID
        self.secret = { clientSecret }
        self.redirectURI = redirectURI
        self.baseURL = baseURL
        clock = options.clock
        self.makeState = makeState
        client = .exist(baseURL, options: options)
    }

    /// Where to send the user's browser; ``signIn(scopes:)`` makes one with a state of its own.
    ///
    /// - Parameters:
    ///   - scopes: what to ask for; ask for little.
    ///   - state: something only you and this browser know, other each time, to recognise the answer by.
    /// - Returns: nil without a state, and where the base address is neither `https` nor on this machine.
    public func authorizeURL(scopes: [ExistScope], state: String) -> URL? {
        guard !state.isEmpty, baseURL.mayCarrySecrets else { return nil }
        let query: QueryItems = [
            "response_type": "code", "client_id": clientID, "redirect_uri": redirectURI,
            "scope": scopes.map(\.rawValue).joined(separator: " "), "state": state,
        ]
        return URL(string: "\(baseURL.appendingPathComponent("oauth2/authorize").absoluteString)?\(query.encoded)")
    }

    /// Tokens for a code, which works once. Wraps `POST oauth2/access_token`.
    ///
    /// - Rejects: with ``ExistError``.
    /// - Cancellation: ends the request.
    public func token(for code: String) -> Promise<ExistToken> {
        send(["grant_type": "authorization_code", "code": code, "redirect_uri": redirectURI])
    }

    /// The next pair of tokens. Wraps `POST oauth2/access_token`.
    ///
    /// This voids both old ones at once: store the new pair before anything else, and never ask twice at the same
    /// time. ``ExistTokenSource`` sees to both. Never sent again by itself.
    ///
    /// - Rejects: with ``ExistError``.
    public func refresh(_ token: ExistToken) -> Promise<ExistToken> {
        guard let refreshToken = token.refreshToken else {
            let problem = "There is no refresh token: let the user sign in again."
            return Promise(error: ExistError(invalidArgument: problem))
        }
        return send(["grant_type": "refresh_token", "refresh_token": refreshToken])
    }

    private func send(_ fields: QueryItems) -> Promise<ExistToken> {
        var form = fields
        form.add("client_id", clientID)
        form.add("client_secret", secret())
        let asked = clock.now()
        return client.value(of: Endpoint<TokenReply>(.post, "oauth2/access_token", body: .form(form)))
            .map(on: nil) { $0.token(askedAt: asked) }.mapError(on: nil) { ExistError($0) }
    }
}

extension ExistOAuth: Discreet {
    /// The client's id; never its secret.
    public var description: String { "ExistOAuth(\(clientID))" }
}

extension ExistAPI {
    /// A read-only token for a user name and a password. Wraps `POST auth/simple-token/`.
    ///
    /// - Returns: a token for ``TokenKind/simple``: always the same one for the same user.
    /// - Rejects: with ``ExistError``.
    /// - Cancellation: ends the request.
    public static func simpleToken(
        username: String, password: String, baseURL: URL = ExistAPI.serviceURL,
        options: EndpointClient.Options = ExistAPI.usualOptions
    ) -> Promise<String> {
        struct Reply: Decodable, Sendable {
            var token: String
        }
        let endpoint = Endpoint<Reply>(
            .post, "api/2/auth/simple-token/", body: .form(["username": username, "password": password]),
            isRepeatable: true)
        return EndpointClient.exist(baseURL, options: options).value(of: endpoint)
            .map(on: nil, \.token).mapError(on: nil) { ExistError($0) }
    }
}
