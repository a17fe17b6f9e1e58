import Foundation
import PledgeCoding
import PledgeHTTP

/// A client that obtains tokens for the users of your app
/// (<https://developer.exist.io/reference/authentication/oauth2/>).
///
/// It needs the client secret. Use it only on your own server, and never in an app that you distribute.
public struct ExistOAuth: Sendable {
    private let clientID: String
    let redirectURI: String
    private let baseURL: URL
    private let client: OAuth2Client
    private let plainHTTPHosts: Set<String>
    let clock: Timekeeper
    let makeState: @Sendable () -> String

    /// Creates a client for an app that is registered with Exist.
    ///
    /// - Parameters:
    ///   - clientID: The client ID, which the app's page in your account shows.
    ///   - clientSecret: The client secret, which the same page shows. It is never printed.
    ///   - redirectURI: The redirect URI, exactly as you entered it on that page.
    ///   - baseURL: The service's root URL.
    ///   - options: The transport, the clock, and other settings.
    ///   - makeState: A function that returns a new state for each sign-in. Nobody must be able to guess the state. By
    ///     default, it returns 256 random bits.
    public init(
        clientID: String, clientSecret: String, redirectURI: String, baseURL: URL = ExistAPI.serviceURL,
        options: EndpointClient.Options = ExistAPI.defaultOptions,
        makeState: @escaping @Sendable () -> String = { SignIn.randomState() }
    ) {
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.baseURL = baseURL
        clock = options.clock
        plainHTTPHosts = options.plainHTTPHosts
        self.makeState = makeState
        client = OAuth2Client(
            .exist(baseURL, options: options), path: "oauth2/access_token", clientID: clientID,
            clientSecret: clientSecret)
    }

    /// Returns the URL to open in the user's browser for a state that you choose. ``signIn(scopes:)`` chooses the state
    /// itself.
    ///
    /// - Parameters:
    ///   - scopes: The scopes to request; request as few as possible.
    ///   - state: A secret that identifies the redirect. Create a different secret for each sign-in, and keep it for
    ///     the browser that signs in.
    /// - Returns: The URL, or nil if the state is empty. The result is also nil if the base URL is not secure: it must
    ///   be an `https` URL, or an `http` URL on this machine or on one of the hosts in `plainHTTPHosts` of the options.
    public func authorizeURL(scopes: [ExistScope], state: String) -> URL? {
        guard !state.isEmpty, baseURL.mayCarrySecrets(trusting: plainHTTPHosts) else { return nil }
        let query: QueryItems = [
            "response_type": "code", "client_id": clientID, "redirect_uri": redirectURI,
            "scope": scopes.map(\.rawValue).joined(separator: " "), "state": state,
        ]
        return URL(string: "\(baseURL.appendingPathComponent("oauth2/authorize").absoluteString)?\(query.encoded)")
    }

    /// Exchanges the code from a redirect for a pair of tokens. Wraps `POST oauth2/access_token`.
    ///
    /// A code is valid only once.
    public func token(for code: String) -> Promise<ExistToken> {
        client.token(["grant_type": "authorization_code", "code": code, "redirect_uri": redirectURI])
            .mapError(on: nil) { ExistError($0) }
    }

    /// Exchanges a refresh token for a new pair of tokens. Wraps `POST oauth2/access_token`.
    ///
    /// The service immediately invalidates the old access token and the old refresh token. So store the new pair before
    /// you use it, and never send two of these requests at once. ``ExistTokenSource`` follows both rules.
    ///
    /// The request is retried only if the service refused it, or if it was never sent.
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

extension ExistOAuth {
    /// A sign-in in progress: the URL to open in the user's browser, and the state that identifies the redirect back.
    ///
    /// ```swift
    /// let signIn = try oauth.signIn(scopes: [.read("mood")])
    /// open(signIn.address)
    /// // … and when the browser has come back to `redirect`:
    /// let token = try await oauth.token(for: signIn.code(from: redirect)).value
    /// ```
    ///
    /// Use a sign-in for one browser only. For example, keep it in the session of that browser's user. Discard it after
    /// one redirect.
    ///
    /// You can't store a sign-in on disk. Store its ``state`` instead, and use
    /// ``ExistOAuth/authorizeURL(scopes:state:)`` and ``ExistOAuth/code(from:state:)``.
    public struct SignIn: Sendable {
        /// The URL to open in the user's browser.
        public let address: URL
        /// The state that the redirect must contain. It is a secret that only you and this browser know.
        public let state: String
        private let oauth: ExistOAuth

        fileprivate init(address: URL, state: String, oauth: ExistOAuth) {
            self.address = address
            self.state = state
            self.oauth = oauth
        }

        /// Returns the code from the URL of a redirect; see ``ExistOAuth/code(from:state:)``.
        public func code(from redirect: URL) throws(RedirectError) -> String {
            try oauth.code(from: redirect, state: state)
        }

        /// Returns 256 bits from the system's random number generator, as text that needs no percent-encoding.
        public static func randomState() -> String {
            var generator = SystemRandomNumberGenerator()
            let words = (0..<4).map { _ in String(generator.next(), radix: 36) }
            return words.map { String(repeating: "0", count: 13 - $0.count) + $0 }.joined()
        }
    }

    /// The reason why no code was taken from a redirect.
    public enum RedirectError: Error, Equatable, Sendable, CustomStringConvertible {
        /// The user refused, or the request was invalid. The associated value is the service's reason, on one line.
        case refused(String)
        /// The redirect contains another state, or none. So it may belong to another sign-in, or may be forged.
        case wrongState
        /// The redirect went to a URL that is not this client's redirect URI.
        case wrongAddress
        /// The URL is not a redirect from a sign-in, because it contains neither one code nor one error.
        case notARedirect

        public var description: String {
            switch self {
            case .refused(let reason): "Exist returned no code, saying “\(reason)”."
            case .wrongState:
                "The redirect's state is missing or doesn't match, so it may belong to another sign-in: start again."
            case .wrongAddress: "The redirect did not go to the client's redirectURI: pass only redirects to that URL."
            case .notARedirect: "The redirect doesn't contain exactly one code or one error: start again."
            }
        }
    }

    /// Starts a user's sign-in. Request as few scopes as possible.
    ///
    /// Throws an ``ExistError`` if the state is empty. Throws the same error if the base URL is not secure: it must be
    /// an `https` URL, or an `http` URL on this machine or on one of the hosts in `plainHTTPHosts` of the options.
    public func signIn(scopes: [ExistScope]) throws(ExistError) -> SignIn {
        let state = makeState()
        guard let address = authorizeURL(scopes: scopes, state: state) else {
            throw ExistError(invalidArgument: "A sign-in needs an https base URL and a state that is not empty.")
        }
        return SignIn(address: address, state: state, oauth: self)
    }

    /// Returns the code from the URL of a redirect.
    ///
    /// The URL must have the scheme, host, port, and path of the client's redirect URI, and must contain the state
    /// exactly once. Otherwise, the function throws.
    ///
    /// Exist doesn't document whether its redirect repeats the state, as the standard (RFC 6749) requires. A redirect
    /// without the state is nevertheless refused: anyone who forges a redirect could simply leave the state out. If Exist
    /// leaves it out, no sign-in by this function succeeds. In that case, read the code from the redirect yourself, but
    /// only if you know by other means that the redirect comes from the browser in which the user signed in.
    public func code(from redirect: URL, state: String) throws(RedirectError) -> String {
        guard let ours = URL(string: redirectURI)?.redirectTarget, ours == redirect.redirectTarget else {
            throw .wrongAddress
        }
        let items = URLComponents(url: redirect, resolvingAgainstBaseURL: true)?.queryItems ?? []
        func values(_ name: String) -> [String] { items.filter { $0.name == name }.map { $0.value ?? "" } }
        let states = values("state")
        guard states.count == 1, !state.isEmpty, ExactText(states[0]) == ExactText(state) else { throw .wrongState }
        let codes = values("code")
        let errors = values("error")
        if errors.count == 1 { throw .refused(ServiceMessage.line(errors[0]) ?? "nothing") }
        guard errors.isEmpty, codes.count == 1, !codes[0].isEmpty else { throw .notARedirect }
        return codes[0]
    }
}

extension ExistOAuth.SignIn: Redacted {
    /// The URL to open. The description leaves out the state, which is a secret.
    public var description: String { "SignIn(\(address.redacted))" }
}

/// A permission to read or to write the attributes of one group. The permission to write does not include the
/// permission to read. See <https://developer.exist.io/reference/authentication/oauth2/>.
public struct ExistScope: RawRepresentable, Hashable, Sendable {
    /// The name of the scope, such as `mood_read`.
    public let rawValue: String

    /// Creates a scope from its name. The name may be one that ``all`` does not contain yet.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Returns the scope for reading the attributes of a group, such as `mood`.
    public static func read(_ group: String) -> ExistScope { ExistScope(rawValue: "\(group)_read") }

    /// Returns the scope for owning, creating, and updating the attributes of a group, such as `mood`.
    ///
    /// The group `manual` stands for the manually tracked attributes of all groups, and `custom` stands for tags.
    public static func write(_ group: String) -> ExistScope { ExistScope(rawValue: "\(group)_write") }

    /// The names of the groups that have scopes.
    public static let groups = [
        "activity", "productivity", "mood", "sleep", "workouts", "events", "finance", "food", "health", "location",
        "media", "social", "weather", "symptoms", "medication", "custom", "manual",
    ]

    /// All known scopes, for reading and for writing.
    public static let all = groups.flatMap { [read($0), write($0)] }
}

/// A pair of tokens from Exist: an access token and a refresh token. The pair is never printed. To store it in a safe
/// place, encode it.
public typealias ExistToken = OAuth2Token

/// A source of a user's access token. It renews the token shortly before the token expires, or when the service rejects
/// it. Your store receives each new pair of tokens before any request uses the new token.
public typealias ExistTokenSource = OAuth2TokenSource

extension OAuth2TokenSource {
    /// Creates a source from a stored pair of tokens. No other process may use the store. If several processes share a
    /// store, use ``OAuth2TokenSource/init(_:in:leeway:clock:renewing:)``.
    ///
    /// - Parameters:
    ///   - token: The pair of tokens from your store.
    ///   - oauth: The client that renews the token. The source also uses the client's clock.
    ///   - store: A function that stores a new pair. The old pair is already invalid, so if you lose the new pair, the
    ///     user must sign in again. If this function rejects, the request that needs the token rejects too, and the
    ///     source keeps the new pair in memory. All callers wait for this function, so it must not request a token from
    ///     this source.
    public convenience init(
        _ token: ExistToken, oauth: ExistOAuth, store: @escaping @Sendable (ExistToken) -> Promise<Void>
    ) {
        self.init(token, in: Saving(saved: Locked(token), save: store), clock: oauth.clock, renewing: oauth.refresh)
    }
}

/// A store that only the source changes. It returns the pair that was saved last, instead of reading it again.
private struct Saving: OAuth2TokenStore {
    let saved: Locked<OAuth2Token>
    let save: @Sendable (OAuth2Token) -> Promise<Void>

    func load() -> Promise<OAuth2Token?> { .value(saved.withLock { $0 }) }

    func save(_ token: OAuth2Token) -> Promise<Void> {
        save(token).get(on: nil) { saved.withLock { $0 = token } }
    }
}
