import Foundation
import Pledge
import PledgeCoding

/// An app that is registered with a service that uses OAuth 2. It obtains tokens from the service's token endpoint (RFC
/// 6749).
public struct OAuth2Client: Sendable {
    /// The way in which the endpoint expects the client's secret.
    public enum Authentication: Sendable {
        /// The secret is sent in the form, together with the client ID: `client_secret_post`.
        case form
        /// The secret is sent in the header `Authorization`, as a password: `client_secret_basic`.
        case header
    }

    private let client: EndpointClient
    private let path: String
    private let clientID: String
    /// The client ID and the secret for a form; empty if they are in a header.
    private let identity: QueryItems

    /// Creates a client for an app that is registered with a service.
    ///
    /// - Parameters:
    ///   - tokenURL: The URL of the token endpoint: `https`, or `http` on this machine.
    ///   - clientID: The client ID that the service gave to the app.
    ///   - clientSecret: The client secret, which is never printed; nil if the app has no secret.
    ///   - authentication: The way in which the endpoint expects the secret.
    ///   - options: The transport, clock, and so on.
    public init(
        tokenURL: URL, clientID: String, clientSecret: String? = nil, authentication: Authentication = .form,
        options: EndpointClient.Options = EndpointClient.Options()
    ) {
        var authorizer = Authorizer.none
        var form: QueryItems = ["client_id": clientID, "client_secret": clientSecret]
        if let clientSecret, authentication == .header {
            // Before they are joined, the ID and the secret are encoded like values of a form (RFC 6749, 2.3.1).
            let pair = "\(QueryItems.escape(clientID)):\(QueryItems.escape(clientSecret))"
            authorizer = .scheme("Basic", Data(pair.utf8).base64EncodedString())
            form = [:]
        }
        self.init(
            EndpointClient(baseURL: tokenURL, authorizer: authorizer, options: options),
            path: tokenURL.absoluteString, clientID, form)
    }

    /// Creates a client for an endpoint at a path of a service. The endpoint expects the secret in the form.
    package init(_ client: EndpointClient, path: String, clientID: String, clientSecret: String?) {
        self.init(client, path: path, clientID, ["client_id": clientID, "client_secret": clientSecret])
    }

    private init(_ client: EndpointClient, path: String, _ clientID: String, _ identity: QueryItems) {
        self.client = client
        self.path = path
        self.clientID = clientID
        self.identity = identity
    }

    /// Requests tokens for a grant, such as `["grant_type": "authorization_code", "code": code, …]`. The request is
    /// repeated only if it had no effect: because a limit refused it, or because it was never sent.
    ///
    /// - Rejects: With ``ExchangeError``.
    public func token(_ grant: QueryItems) -> Promise<OAuth2Token> {
        var form = grant
        form.add(identity)
        let asked = client.options.clock.now()
        var endpoint = Endpoint<OAuth2Response>(.post, path, body: .form(form))
        // Some services report an error with status 200.
        endpoint.accepts = { 200..<300 ~= $0.status && FailureTexts($0)?["error"]?.isEmpty != false }
        return client.value(of: endpoint).map(on: nil) { $0.token(askedAt: asked) }
    }

    /// Exchanges a refresh token for a new pair of tokens. The new pair may have no refresh token if the old one stays
    /// valid.
    ///
    /// A service may immediately invalidate the old tokens. So store the new pair before you use it, and never send two
    /// of these requests at the same time. ``OAuth2TokenSource`` takes care of both. It also distinguishes errors that
    /// may be temporary from those that aren't.
    ///
    /// - Rejects: With ``ExchangeError``, or with ``CredentialError/signInNeeded`` if there is no refresh token.
    @Sendable public func refresh(_ token: OAuth2Token) -> Promise<OAuth2Token> {
        guard let refreshToken = token.refreshToken else { return Promise(error: CredentialError.signInNeeded) }
        return self.token(["grant_type": "refresh_token", "refresh_token": refreshToken])
    }
}

extension ExchangeError {
    /// Whether a token endpoint refused the code or the refresh token itself. If so, sending it again cannot help.
    var refusesGrant: Bool {
        guard case .status(let code) = reason, [200, 400, 401].contains(code), response?.headers.isHTML != true
        else { return false }
        // If the response has no member with the OAuth 2 error code, the code may precede the description in the
        // message.
        let problem = response.flatMap { FailureTexts($0)?["error"] } ?? message.map { String($0.prefix { $0 != ":" }) }
        return !Self.otherRefusals.contains(problem?.lowercased() ?? "")
    }

    /// The error codes of OAuth 2 that concern the app, the request, or the service (RFC 6749, 5.2).
    private static let otherRefusals: Set = [
        "invalid_request", "invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope",
        "server_error", "temporarily_unavailable", "slow_down",
    ]
}

extension OAuth2Client: Redacted {
    /// The client ID. The description never contains the secret.
    public var description: String { "OAuth2Client(\(clientID))" }
}

/// A pair of tokens from OAuth 2. The tokens are never printed. To store the pair in a safe place, encode it.
public struct OAuth2Token: Codable, Hashable, Sendable {
    /// The token that authenticates requests.
    public var accessToken: String
    /// The token that obtains the next pair of tokens; nil if the service returned none.
    public var refreshToken: String?
    /// The time at which the access token expires; nil if the service did not specify it.
    public var expiresAt: Date?
    /// The granted scopes, possibly fewer than requested; nil if the service did not specify them.
    public var scopes: [String]?
    /// The other members of the service's response, such as `instance_url` or `id_token`; nil if it had none.
    public var otherMembers: [String: JSONValue]?

    /// Creates a pair of tokens, such as one that was stored.
    public init(
        accessToken: String, refreshToken: String? = nil, expiresAt: Date? = nil, scopes: [String]? = nil,
        otherMembers: [String: JSONValue]? = nil
    ) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.expiresAt = expiresAt
        self.scopes = scopes
        self.otherMembers = otherMembers
    }

    /// Returns the pair, completed with values of the old pair. The response to a renewal may leave out values that
    /// have not changed.
    func completed(from old: OAuth2Token?) -> OAuth2Token {
        var token = self
        token.refreshToken = refreshToken ?? old?.refreshToken
        token.scopes = scopes ?? old?.scopes
        token.otherMembers = otherMembers.map { (old?.otherMembers ?? [:]).merging($0) { $1 } } ?? old?.otherMembers
        return token
    }

    /// Returns whether the access token has expired at the given time.
    public func isExpired(at date: Date) -> Bool {
        expiresAt.map { $0 <= date } ?? false
    }
}

extension OAuth2Token: Redacted {
    /// The expiration date. The description never contains the tokens.
    public var description: String { "OAuth2Token(expires \(expiresAt.map { Timestamp.text($0) } ?? "unknown"))" }
}

/// The response of a token endpoint. Some services send its numbers as strings.
struct OAuth2Response: Sendable {
    private let accessToken: String
    private let refreshToken: String?
    private let seconds: Double?
    private let scope: String?
    private let others: [String: JSONValue]

    /// The names of members that are not ``OAuth2Token/otherMembers``.
    private static let known: Set = ["access_token", "refresh_token", "expires_in", "scope", "token_type"]

    /// Returns the pair of tokens. Its lifetime counts from the time of the request, so that the pair never seems to be
    /// valid for longer than it is.
    func token(askedAt date: Date) -> OAuth2Token {
        OAuth2Token(
            accessToken: accessToken, refreshToken: refreshToken, expiresAt: seconds.map(date.addingTimeInterval),
            scopes: scope?.split { $0 == " " || $0 == "," }.map(String.init),
            otherMembers: others.isEmpty ? nil : others)
    }
}

extension OAuth2Response: Readable {
    init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        accessToken = try fields.required("access_token").parsed("it is empty") { $0.isEmpty ? nil : $0.string }
        refreshToken = try fields.present("refresh_token")?.nonEmptyText()
        scope = fields.text("scope")
        // A lifetime that is there but can't be read counts as an hour.
        seconds = fields.present("expires_in").map { (try? $0.lenientDouble()) ?? 3600 }
        var others: [String: JSONValue] = [:]
        try fields.forEach { (name, value) throws(TapeFailure) in
            if !Self.known.contains(name), !value.isNull { others[name] = try JSONValue(reading: value) }
        }
        self.others = others
    }
}
