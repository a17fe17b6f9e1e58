import Foundation
import Pledge
import PledgeCoding

/// A credential, and the way in which it is added to a request.
///
/// Tokens are stored inside closures, so that `print`, `dump`, and mirrors cannot find them.
public struct Authorizer: Sendable {
    /// The way a client references its token source.
    public enum Hold: Sendable {
        /// The client keeps the source alive.
        case strong
        /// The client does not keep the source alive. Once the source is deallocated, requests fail with a descriptive
        /// error.
        case weak

        /// Returns a function that finds the object or throws ``CredentialError/sourceIsGone`` if it is deallocated.
        package func finder<Object: AnyObject & Sendable>(of object: Object) -> @Sendable () throws -> Object {
            let strong = self == .strong ? object : nil
            return { [weak object] in
                guard let found = strong ?? object else { throw CredentialError.sourceIsGone }
                return found
            }
        }
    }

    /// The authentication scheme, such as `Bearer`.
    let scheme: String
    /// Returns the token to use; nil if there is no credential.
    package let token: (@Sendable () -> Promise<String>)?
    /// Requests a new token in place of a refused one. If the closure is nil, the token cannot be renewed.
    private let renew: (@Sendable (_ rejected: String) -> Promise<String>)?
    /// Returns whether the source found the token in a store that others may change. If it returns false, the service
    /// has issued the token just now.
    private let isFromStore: @Sendable (_ token: String) -> Bool
    /// The status codes with which the service refuses a token.
    private let refusals: Set<Int>
    /// A cache that remembers the outcome of the latest renewal. It runs only one renewal at a time, even if many
    /// requests were refused together.
    private let cache = TokenCache<String>()

    private init(
        _ scheme: String, token: (@Sendable () -> Promise<String>)?,
        renew: (@Sendable (_ rejected: String) -> Promise<String>)? = nil,
        isFromStore: @escaping @Sendable (_ token: String) -> Bool = { _ in false }, refusals: Set<Int> = []
    ) {
        self.scheme = scheme
        self.token = token
        self.renew = renew
        self.isFromStore = isFromStore
        self.refusals = refusals
    }

    /// An authorizer that does not add a credential.
    public static let none = Authorizer("", token: nil)

    /// Returns an authorizer that sends a token as `Authorization: Bearer …`.
    public static func bearer(_ token: String) -> Authorizer {
        scheme("Bearer", token)
    }

    /// Returns an authorizer that sends `Authorization: <scheme> …`, for services with a custom scheme.
    public static func scheme(_ scheme: String, _ token: String) -> Authorizer {
        let fixed = Promise.value(token)
        return Authorizer(scheme, token: { fixed })
    }

    /// Returns an authorizer that asks a source for a token before each request. If the service refuses the token, the
    /// authorizer asks once for a new one.
    ///
    /// - Parameters:
    ///   - source: The source of the tokens.
    ///   - hold: The way the client references the source.
    ///   - scheme: The authentication scheme.
    ///   - statuses: The status codes with which the service refuses a token. By default, a 403 is not among them,
    ///     because a 403 usually reports a missing permission, which a new token would lack as well. Some services
    ///     answer 403 for an expired token; for such a service, add 403.
    public static func source(
        _ source: some TokenSource, hold: Hold = .strong, scheme: String = "Bearer",
        renewingAfter statuses: Set<Int> = [401]
    ) -> Authorizer {
        let find = hold.finder(of: source)
        return Authorizer(
            scheme, token: { firstly { try find().token() } },
            renew: { rejected in firstly { try find().token(replacing: rejected) } },
            isFromStore: { token in ((try? find()) as? OAuth2TokenSource)?.isFromStore(token) ?? false },
            refusals: statuses)
    }

    /// Returns an authorizer that checks each token of this authorizer with a closure. The closure returns the token,
    /// rejects, or returns another token. The two authorizers renew tokens independently, so neither waits for a
    /// renewal of the other.
    func passing(_ check: @escaping @Sendable (_ token: String) -> Promise<String>) -> Authorizer {
        var checked: (@Sendable () -> Promise<String>)?
        if let token { checked = { token().then(on: nil, check) } }
        var renewed: (@Sendable (String) -> Promise<String>)?
        if let renew { renewed = { renew($0).then(on: nil, check) } }
        return Authorizer(scheme, token: checked, renew: renewed, isFromStore: isFromStore, refusals: refusals)
    }

    /// Returns the credential of a request that is about to be sent; nil if the token cannot be renewed.
    func credential(_ token: String) -> SentCredential? {
        renew == nil
            ? nil : SentCredential(token: token, renewalCount: cache.renewalCount, isFromStore: isFromStore(token))
    }

    /// Returns whether a response refuses the token of its request.
    func isRefusal(_ status: Int) -> Bool { refusals.contains(status) }

    /// Returns a replacement for a refused token.
    ///
    /// If a renewal is in progress, the result is the outcome of that renewal. If the latest renewal ended recently,
    /// and the request had been sent before it ended, the result is the outcome of that renewal. In all other cases, a
    /// new renewal begins.
    func token(replacing refused: SentCredential, _ clock: Timekeeper) -> Promise<String> {
        cache.token(
            replacing: refused.token, sentAfter: refused.renewalCount, isFromStore: refused.isFromStore, clock
        ) {
            renew?(refused.token) ?? Promise(error: NoOtherToken())
        }
    }
}

/// A token that was sent, and the number of renewals that had ended when it was sent.
struct SentCredential: Sendable {
    let token: String
    let renewalCount: Int
    /// Whether the source found the token in a store. If this is false, the service had issued the token just before.
    let isFromStore: Bool
}

extension Authorizer: Redacted {
    /// The authentication scheme. The description never contains the token.
    public var description: String { token == nil ? "Authorizer.none" : "Authorizer(\(scheme))" }
}

/// A source of access tokens. A client asks its source for a token before each request, so you can keep the client when
/// the token is renewed.
///
/// Adopt this protocol in the type that stores the user's tokens. All other code sees only a promise of a token.
public protocol TokenSource: AnyObject, Sendable {
    /// Returns a token for the next request. The client calls this method before every request, so return the token
    /// from memory if possible.
    func token() -> Promise<String>

    /// Returns a new token after the service refused the given one. The default implementation calls ``token()``.
    ///
    /// If several requests were refused together, the client calls this method once, and all these requests receive the
    /// result. If the result is the refused token again, the client concludes that there is no other token, and the
    /// requests fail with the response that refused the token.
    ///
    /// The client doesn't cancel the promise even if all these requests are canceled. A service may invalidate the old
    /// tokens as soon as it issues new ones, so a renewal must run to its end.
    func token(replacing rejected: String) -> Promise<String>
}

/// A source whose tokens a closure returns.
package final class FetchedTokens: TokenSource {
    private let fetch: @Sendable (_ rejected: String?) -> Promise<String>

    /// - Parameter fetch: Returns a token. If the argument is nil, the closure returns the current token. If the
    ///   argument is a rejected token, the closure returns another token.
    package init(_ fetch: @escaping @Sendable (_ rejected: String?) -> Promise<String>) { self.fetch = fetch }

    package func token() -> Promise<String> { fetch(nil) }
    package func token(replacing rejected: String) -> Promise<String> { fetch(rejected) }
}

extension TokenSource {
    /// Returns the result of ``token()``. This default is for sources that cannot renew a token.
    public func token(replacing rejected: String) -> Promise<String> { token() }
}

/// A cache for a token, or for another value that is costly to get. At any time, at most one renewal is in progress,
/// and it serves all callers.
///
/// A caller that joins while a renewal is in progress receives the same value or error. If a caller cancels, only that
/// caller leaves. The renewal runs to its end even without callers, because a service may invalidate the old token as
/// soon as it issues a new one.
package final class TokenCache<Token: Sendable>: Sendable {
    private let state: Locked<TokenState<Token>>

    package init(_ token: Token? = nil) { state = Locked(TokenState(token)) }

    /// The latest token, even if it is old; nil before the first token.
    package var latest: Token? { state.withLock(\.token) }

    /// The number of renewals that have ended.
    var renewalCount: Int { state.withLock { $0.renewalCount } }

    /// Returns a token, in one of three ways:
    /// - If a renewal is in progress, returns the outcome of that renewal.
    /// - If the latest token is usable, returns it.
    /// - Otherwise, begins a renewal and returns its outcome.
    ///
    /// If a renewal fails, all callers that wait are rejected, and the next caller tries again. If a caller cancels,
    /// the other callers are not affected.
    ///
    /// - Parameters:
    ///   - isUsable: Returns whether the latest token is usable. The second argument is whether the token comes from a
    ///     recent renewal.
    ///   - renew: Gets a new token. It receives the latest token.
    package func token(
        _ clock: Timekeeper, if isUsable: (_ token: Token, _ isNew: Bool) -> Bool = { _, _ in true },
        _ renew: (Token?) -> Promise<Token>
    ) -> Promise<Token> {
        take(clock, renew) { $0.token(if: isUsable, now: $1) }
    }

    /// Stores a token before its renewal ends, so that the token is not lost if the renewal fails.
    package func store(_ token: Token) { state.withLock { $0.store(token) } }

    private func take(
        _ clock: Timekeeper, _ renew: (Token?) -> Promise<Token>,
        _ find: (TokenState<Token>, _ now: TimeInterval) -> Promise<Token>?
    ) -> Promise<Token> {
        let now = clock.uptime()
        let (token, renewal, old) = state.withLock { state -> (Promise<Token>, Resolver<Token>?, Token?) in
            if let found = find(state, now) { return (found, nil, nil) }
            let (promise, resolver) = Promise<Token>.pending()
            // This observer never cancels. Without it, the renewal would be canceled when the last caller cancels.
            promise.pipe { _ in }
            state.begin(promise)
            return (promise, resolver, state.token)
        }
        if let renewal {
            renew(old).pipe { [state] outcome in
                let now = clock.uptime()
                state.withLock { $0.end(outcome, now: now) }
                renewal.resolve(outcome)
            }
        }
        // Each caller gets a promise of its own. Otherwise, if one caller canceled the shared promise, it would be
        // rejected for all callers.
        return Promise(token)
    }
}

extension TokenCache where Token: Equatable {
    /// Returns a token in place of one that the service refused. Rejects with ``NoOtherToken`` if a renewal returns the
    /// refused token.
    ///
    /// - Parameters:
    ///   - sent: The ``renewalCount`` at the time when the request was sent.
    ///   - isFromStore: Whether the renewal that returned the refused token only found it in a store. If so, another
    ///     renewal may help.
    func token(
        replacing rejected: Token, sentAfter sent: Int, isFromStore: Bool = false, _ clock: Timekeeper,
        _ renew: () -> Promise<Token>
    ) -> Promise<Token> {
        @Sendable func check(_ token: Token) throws { if token == rejected { throw NoOtherToken() } }
        let renewed = take(clock, { _ in renew().get(on: nil, check) }) {
            $0.token(replacing: rejected, sentAfter: sent, isFromStore: isFromStore, now: $1)
        }
        // This check is needed for a caller that has joined a renewal: the token that it sent may differ from the token
        // of the caller that began the renewal.
        return renewed.get(on: nil, check)
    }
}

/// The state of a token that can be renewed, as a pure value. Its methods return what ``TokenCache`` returns.
///
/// The outcome of a renewal counts for all refused requests that were sent before the renewal ended. So if many
/// requests are refused together, there is only one renewal. The outcome does not count for requests that were sent
/// later. After the `window`, it does not count for any request, so that a renewal that failed is tried again.
struct TokenState<Token: Sendable>: Sendable {
    /// The seconds for which the outcome of a renewal is remembered.
    static var window: TimeInterval { 10 }

    /// The latest token, even if it is old; nil before the first token.
    private(set) var token: Token?
    /// The number of renewals that have ended. A request records this number when it is sent, so that it is known which
    /// renewals ended later.
    private(set) var renewalCount = 0
    private var inProgress: Promise<Token>?
    private var last: (outcome: Result<Token, any Error>, end: TimeInterval)?

    init(_ token: Token?) { self.token = token }

    /// Returns the token for a request that is about to be sent: that of the renewal in progress, or the latest token.
    /// Returns nil if the caller must begin a renewal.
    ///
    /// `isUsable` should return true for a new token even if the token seems to have expired. If the clock is wrong,
    /// renewing the token again would not help.
    func token(if isUsable: (_ token: Token, _ isNew: Bool) -> Bool, now: TimeInterval) -> Promise<Token>? {
        if let inProgress { return inProgress }
        guard let token else { return nil }
        let isNew = if case .success? = recent(now) { true } else { false }
        return isUsable(token, isNew) ? .value(token) : nil
    }

    mutating func begin(_ renewal: Promise<Token>) { inProgress = renewal }

    mutating func end(_ outcome: Result<Token, any Error>, now: TimeInterval) {
        inProgress = nil
        renewalCount += 1
        last = (outcome, now)
        if case .success(let token) = outcome { self.token = token }
    }

    /// Stores a token before its renewal ends.
    mutating func store(_ token: Token) { self.token = token }

    private func recent(_ now: TimeInterval) -> Result<Token, any Error>? {
        // If the clock was set back, it is unknown how much time has passed.
        last.flatMap { 0..<Self.window ~= now - $0.end ? $0.outcome : nil }
    }
}

extension TokenState where Token: Equatable {
    /// Returns the token for a request whose token was refused; nil if the caller must begin a renewal.
    ///
    /// - Parameters:
    ///   - sent: The ``renewalCount`` at the time when the request was sent.
    ///   - isFromStore: Whether the refused token was found in a store. If it is false, the service had issued the
    ///     token just before.
    func token(
        replacing rejected: Token, sentAfter sent: Int, isFromStore: Bool = false, now: TimeInterval
    ) -> Promise<Token>? {
        if let inProgress { return inProgress }
        switch recent(now) {
        case .success(let renewed)? where renewed == rejected && isFromStore: return nil
        case .success(let renewed)? where renewed == rejected: return Promise(error: NoOtherToken(isNew: true))
        case .success(let renewed)? where sent < renewalCount: return .value(renewed)
        case .failure(let error)? where sent < renewalCount: return Promise(error: error)
        default: return nil
        }
    }
}

/// The error of a source that has no token except the refused one. The call then fails with the response that refused
/// the token.
package struct NoOtherToken: Error {
    /// Whether the refused token is the result of a renewal.
    let isNew: Bool

    package init(isNew: Bool = false) { self.isNew = isNew }
}
