import Foundation
import PledgeCoding
import PledgeHTTP

extension ExistOAuth {
    /// A user's way to the service and back: where to send them, and how to know the redirect that answers it.
    ///
    /// ```swift
    /// let signIn = try oauth.signIn(scopes: [.read("mood")])
    /// open(signIn.address)
    /// // … and when the browser has come back to `redirect`:
    /// let token = try await oauth.token(for: signIn.code(from: redirect)).value
    /// ```
    ///
    /// Keep it for the one browser it was made for, such as in that user's session, and let go of it after one redirect.
    /// To keep it on disk, keep ``state`` and go by ``ExistOAuth/authorizeURL(scopes:state:)`` and
    /// ``ExistOAuth/code(from:state:)``.
    public struct SignIn: Sendable {
        /// What to open in the user's browser.
        public let address: URL
        /// What the redirect has to bring back. Nobody else may know it.
        public let state: String
        private let oauth: ExistOAuth

        fileprivate init(address: URL, state: String, oauth: ExistOAuth) {
            self.address = address
            self.state = state
            self.oauth = oauth
        }

        /// The code in the address the browser came back to; see ``ExistOAuth/code(from:state:)``.
        public func code(from redirect: URL) throws(RedirectError) -> String {
            try oauth.code(from: redirect, state: state)
        }

        /// 256 bits from the system's generator, in characters that no address escapes.
        public static func randomState() -> String {
            var generator = SystemRandomNumberGenerator()
            let words = (0..<4).map { _ in String(generator.next(), radix: 36) }
            return words.map { String(repeating: "0", count: 13 - $0.count) + $0 }.joined()
        }
    }

    /// Why a redirect brought no code.
    public enum RedirectError: Error, Equatable, Sendable, CustomStringConvertible {
        /// The user refused, or the request was wrong; the service's word, on one line.
        case refused(String)
        /// The redirect is not the answer to this request, and may be forged.
        case wrongState
        /// The redirect went elsewhere than to the address of this client.
        case wrongAddress
        /// It is no redirect of this kind.
        case notARedirect

        public var description: String {
            switch self {
            case .refused(let reason): "Exist gave no code, saying “\(reason)”."
            case .wrongState: "The redirect does not bring back our state, so it answers another request: begin again."
            case .wrongAddress: "The redirect did not go to the client's redirectURI: pass on only what comes there."
            case .notARedirect: "The redirect brings neither one code nor one error: begin again."
            }
        }
    }

    /// Begins to let a user in.
    ///
    /// - Parameter scopes: what to ask for; ask for little.
    /// - Throws: ``ExistError`` where the base address is neither `https` nor on this machine.
    public func signIn(scopes: [ExistScope]) throws(ExistError) -> SignIn {
        let state = makeState()
        guard let address = authorizeURL(scopes: scopes, state: state) else {
            throw ExistError(invalidArgument: "A user signs in over https only, and with a state.")
        }
        return SignIn(address: address, state: state, oauth: self)
    }

    /// The code in the address the browser came back to.
    ///
    /// Scheme, host, port and path have to be those of `redirectURI`, and the state has to be there, once.
    ///
    /// - Parameters:
    ///   - redirect: that address.
    ///   - state: what was sent along.
    public func code(from redirect: URL, state: String) throws(RedirectError) -> String {
        guard let ours = URL(string: redirectURI), RedirectMatcher(ours).matches(redirect) else { throw .wrongAddress }
        let items = URLComponents(url: redirect, resolvingAgainstBaseURL: true)?.queryItems ?? []
        func values(_ name: String) -> [String] { items.filter { $0.name == name }.map { $0.value ?? "" } }
        let states = values("state")
        guard states.count == 1, !state.isEmpty, Self.isSame(states[0], state) else { throw .wrongState }
        let (codes, errors) = (values("code"), values("error"))
        if let reason = errors.first { throw .refused(ServiceMessage.line(reason) ?? "nothing") }
        guard codes.count == 1, !codes[0].isEmpty else { throw .notARedirect }
        return codes[0]
    }

    /// Takes as long for a text that differs in its first letter as for one that differs in its last, so that nobody can
    /// find the state letter by letter.
    private static func isSame(_ one: String, _ other: String) -> Bool {
        let (one, other) = (Array(one.utf8), Array(other.utf8))
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension ExistOAuth.SignIn: Discreet {
    /// Where it begins; never the state.
    public var description: String { "SignIn(\(address.redacted))" }
}
