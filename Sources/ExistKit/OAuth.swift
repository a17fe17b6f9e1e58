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
        clock = options.clock
        plainHTTPHosts = options.plainHTTPHosts
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
    /// Keep it for one browser, such as in that user's session, and discard it after one redirect. To store it on disk,
    /// store ``state``, and use ``ExistOAuth/authorizeURL(scopes:state:)`` and ``ExistOAuth/code(from:state:)``.
    public struct SignIn: Sendable {
        /// The URL to open in the user's browser.
        public let address: URL
        /// The state that the redirect must contain. It is a secret between you and this browser.
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

        /// Returns 256 bits from the system's random number generator, in characters that need no percent-encoding.
        public static func randomState() -> String {
            var generator = SystemRandomNumberGenerator()
            let words = (0..<4).map { _ in String(generator.next(), radix: 36) }
            return words.map { String(repeating: "0", count: 13 - $0.count) + $0 }.joined()
        }
    }

    /// The reason a redirect contained no code.
    public enum RedirectError: Error, Equatable, Sendable, CustomStringConvertible {
        /// The user refused, or the request was invalid; with the service's reason, on one line.
        case refused(String)
        /// The redirect does not belong to this request, and may be forged.
        case wrongState
        /// The redirect went to a URL other than this client's.
        case wrongAddress
        /// The URL is not a redirect from a sign-in.
        case notARedirect

        public var description: String {
            switch self {
            case .refused(let reason): "Exist returned no code, saying “\(reason)”."
            case .wrongState:
                "The redirect's state doesn't match, so the redirect belongs to another sign-in: start again."
            case .wrongAddress: "The redirect did not go to the client's redirectURI: pass only redirects to that URL."
            case .notARedirect: "The redirect doesn't contain exactly one code or one error: start again."
            }
        }
    }

    /// Starts a user's sign-in; request as few scopes as possible. The base URL must be `https`, or on this machine.
    public func signIn(scopes: [ExistScope]) throws(ExistError) -> SignIn {
        let state = makeState()
        guard let address = authorizeURL(scopes: scopes, state: state) else {
            throw ExistError(invalidArgument: "A sign-in needs an https base URL and a state that is not empty.")
        }
        return SignIn(address: address, state: state, oauth: self)
    }

    /// Returns the code from the URL of a redirect, which must have the scheme, host, port, and path of `redirectURI`,
    /// and contain the state exactly once.
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
    /// The URL to open, but never the state.
    public var description: String { "SignIn(\(address.redacted))" }
}

/// A permission to read or to write one group; writing does not include reading. See
/// <https://developer.exist.io/reference/authentication/oauth2/>.
public struct ExistScope: RawRepresentable, Hashable, Sendable {
    /// The name of the scope, such as `mood_read`.
    public let rawValue: String

    /// Creates a scope from its name, which may be newer than ``all``.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Returns the scope for reading a group, such as `mood`.
    public static func read(_ group: String) -> ExistScope { ExistScope(rawValue: "\(group)_read") }

    /// Returns the scope for owning, creating, and updating attributes of a group, such as `mood`. The group `manual`
    /// covers manually tracked attributes of any group, and `custom` covers tags.
    public static func write(_ group: String) -> ExistScope { ExistScope(rawValue: "\(group)_write") }

    /// The names of the groups that have scopes.
    public static let groups = [
        "activity", "productivity", "mood", "sleep", "workouts", "events", "finance", "food", "health", "location",
        "media", "social", "weather", "symptoms", "medication", "custom", "manual",
    ]

    /// All known scopes, for reading and for writing.
    public static let all = groups.flatMap { [read($0), write($0)] }
}

/// A pair of tokens from Exist. It is never printed; encode it to store it in a safe place.
public typealias ExistToken = OAuth2Token

/// A source of a user's access token, which renews it shortly before it expires or when it is rejected, and passes each
/// new pair to your store before any request uses it.
public typealias ExistTokenSource = OAuth2TokenSource

extension OAuth2TokenSource {
    /// Creates a source from a stored pair of tokens; ``OAuth2TokenSource/init(_:in:leeway:clock:renewing:)`` is for a
    /// store that several processes share.
    ///
    /// - Parameters:
    ///   - token: The pair from your store.
    ///   - oauth: The client that renews the token, and whose clock is used.
    ///   - store: Stores a new pair. The old pair is invalid by then, so losing the new one means losing the account:
    ///     if this rejects, so does the request, and the pair stays in memory. Other callers wait for it, so it must
    ///     not request a token from this source.
    public convenience init(
        _ token: ExistToken, oauth: ExistOAuth, store: @escaping @Sendable (ExistToken) -> Promise<Void>
    ) {
        self.init(token, in: Saving(saved: Locked(token), save: store), clock: oauth.clock, renewing: oauth.refresh)
    }
}

/// A store that only the source itself changes, so that what it last saved need not be read again.
private struct Saving: OAuth2TokenStore {
    let saved: Locked<OAuth2Token>
    let save: @Sendable (OAuth2Token) -> Promise<Void>

    func load() -> Promise<OAuth2Token?> { .value(saved.withLock { $0 }) }

    func save(_ token: OAuth2Token) -> Promise<Void> {
        save(token).get(on: nil) { saved.withLock { $0 = token } }
    }
}
