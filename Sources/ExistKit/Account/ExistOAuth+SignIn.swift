import Foundation
import PledgeCoding
import PledgeHTTP

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
            case .wrongState: "The redirect has another state, so it belongs to another request: start again."
            case .wrongAddress: "The redirect did not go to the client's redirectURI: pass only redirects to that URL."
            case .notARedirect: "The redirect has neither exactly one code nor one error: start again."
            }
        }
    }

    /// Starts a user's sign-in; request as few scopes as possible. The base URL must be `https`, or on this machine.
    public func signIn(scopes: [ExistScope]) throws(ExistError) -> SignIn {
        let state = makeState()
        guard let address = authorizeURL(scopes: scopes, state: state) else {
            throw ExistError(invalidArgument: "A user signs in over https only, and with a state.")
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
        let (codes, errors) = (values("code"), values("error"))
        if errors.count == 1 { throw .refused(ServiceMessage.line(errors[0]) ?? "nothing") }
        guard errors.isEmpty, codes.count == 1, !codes[0].isEmpty else { throw .notARedirect }
        return codes[0]
    }
}

extension ExistOAuth.SignIn: Redacted {
    /// The URL to open, but never the state.
    public var description: String { "SignIn(\(address.redacted))" }
}
