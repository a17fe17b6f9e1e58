import Foundation
import Pledge
import PledgeCoding

/// A credential, and the way in which a request carries it.
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
    /// Requests a new token in place of a refused one; nil if none can be obtained.
    private let renew: (@Sendable (_ rejected: String) -> Promise<String>)?
    /// Returns whether the source found a token where others may change it. If false, the service issued the token just
    /// now.
    private let isFromStore: @Sendable (_ token: String) -> Bool
    /// The status codes with which the service refuses a token.
    private let refusals: Set<Int>
    /// The token of the latest renewal. Only one renewal runs at a time, even if many requests were refused together.
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
    ///   - statuses: The status codes with which the service refuses a token. Some services answer 403 for an expired
    ///     token. By default, a 403 counts as a missing permission, which a new token would lack as well.
    public static func source(
        _ source: some TokenSource, hold: Hold = .strong, scheme: String = "Bearer",
        renewingAfter statuses: Set<Int> = [401]
    ) -> Authorizer {
        let find = hold.finder(of: source)
        return Authorizer(
            scheme, token: { firstly { try find().token() } },
            renew: { rejected in firstly { try find().token(replacing: rejected) } },
            isFromStore: { token in ((try? find()) as? any StoredTokens)?.isFromStore(token) ?? false },
            refusals: statuses)
    }

    /// Returns an authorizer with the same tokens. A closure passes each token on, rejects it, or replaces it. The two
    /// authorizers' renewals do not wait for each other.
    func passing(_ check: @escaping @Sendable (_ token: String) -> Promise<String>) -> Authorizer {
        var checked: (@Sendable () -> Promise<String>)?
        if let token { checked = { token().then(on: nil, check) } }
        var renewed: (@Sendable (String) -> Promise<String>)?
        if let renew { renewed = { renew($0).then(on: nil, check) } }
        return Authorizer(scheme, token: checked, renew: renewed, isFromStore: isFromStore, refusals: refusals)
    }

    /// Returns the credential of a request that is about to be sent; nil if it cannot be renewed.
    func credential(_ token: String) -> SentCredential? {
        renew == nil
            ? nil : SentCredential(token: token, renewalCount: cache.renewalCount, isFromStore: isFromStore(token))
    }

    /// Returns whether a response refuses the token of its request.
    func isRefusal(_ status: Int) -> Bool { refusals.contains(status) }

    /// Returns a replacement for a refused token. If a renewal is in progress, its outcome is used; so is one that
    /// ended after the request was sent. Otherwise, a renewal begins.
    func token(replacing refused: SentCredential, _ clock: Timekeeper) -> Promise<String> {
        cache.token(
            replacing: refused.token, sentAfter: refused.renewalCount, isFromStore: refused.isFromStore, clock
        ) {
            renew?(refused.token) ?? Promise(error: NoOtherToken())
        }
    }
}

/// A token that was sent, and the number of renewals that had ended at that time.
struct SentCredential: Sendable {
    let token: String
    let renewalCount: Int
    /// Whether the source found the token in a store. If false, the service issued the token just now.
    let isFromStore: Bool
}

extension Authorizer: Redacted {
    /// The authentication scheme. The description never contains the token.
    public var description: String { token == nil ? "Authorizer.none" : "Authorizer(\(scheme))" }
}

/// The reason why there is no valid token to send.
public enum CredentialError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The client does not keep the source alive, and the source has been deallocated.
    case sourceIsGone
    /// The source has no token, or no token that it can renew.
    case signInNeeded
    /// The service refused to renew the token, for the reason in its message. The user has to sign in again.
    case renewalRefused(message: String?)
    /// The token is empty, or it or its scheme contains a character that is not allowed in a header.
    case malformed

    /// A clause that says what the problem is and what to do about it.
    public var description: String {
        switch self {
        case .sourceIsGone:
            "the token source is gone: keep a reference to it, or let the client hold it strongly"
        case .signInNeeded:
            "there is no token that can be renewed: let the user sign in again"
        case .renewalRefused(let message):
            "the service refused to renew the token"
                + (message.flatMap(ServiceMessage.line).map { ", saying “\($0)”" } ?? "")
        case .malformed:
            "the token is empty, or the token or its scheme has a line break or another character that is not allowed"
        }
    }
}

/// A source of access tokens, which allows a token to be renewed without creating a new client.
///
/// Adopt this protocol in the type that stores the user's tokens; all other code sees only a promise of a token.
public protocol TokenSource: AnyObject, Sendable {
    /// Returns a token for the next request. It is called before every request, so return the token from memory if
    /// possible.
    func token() -> Promise<String>

    /// Returns a new token after the service refused the given one. The default implementation calls ``token()``.
    ///
    /// It is called once for all requests that were refused together, and all of them receive the result. If the result
    /// is the refused token, there is no other token, and the requests fail with the refusal. The call is never
    /// canceled on their behalf, because services may invalidate the old tokens as soon as they issue new ones.
    func token(replacing rejected: String) -> Promise<String>
}

/// A source of tokens that are stored where others may change them.
package protocol StoredTokens: TokenSource {
    /// Returns whether a token was found in the store. If false, the service issued the token just now. If a token from
    /// the store replaces a refused one, and the service refuses it as well, it may just be old, so the source is asked
    /// once more.
    func isFromStore(_ token: String) -> Bool
}

/// A source whose tokens a closure returns.
package final class FetchedTokens: StoredTokens {
    private let fetch: @Sendable (_ rejected: String?) -> Promise<String>
    private let askStore: @Sendable (_ token: String) -> Bool

    /// - Parameters:
    ///   - isFromStore: Returns whether a token was found in a store, rather than issued just now.
    ///   - fetch: Returns the current token, or a token other than the rejected one.
    package init(
        isFromStore: @escaping @Sendable (_ token: String) -> Bool = { _ in false },
        _ fetch: @escaping @Sendable (_ rejected: String?) -> Promise<String>
    ) {
        self.fetch = fetch
        askStore = isFromStore
    }

    package func token() -> Promise<String> { fetch(nil) }
    package func token(replacing rejected: String) -> Promise<String> { fetch(rejected) }
    package func isFromStore(_ token: String) -> Bool { askStore(token) }
}

extension TokenSource {
    /// Returns ``token()``, for sources that cannot renew a token.
    public func token(replacing rejected: String) -> Promise<String> { token() }
}

/// A cache for a token, or for anything else that is costly to get. One renewal at a time gets it for all callers.
///
/// A caller that joins while a renewal is in progress receives the same value or error. A caller that cancels only
/// leaves: the renewal runs to its end even without callers, because a service may invalidate the old token as soon as
/// it issues a new one.
package final class TokenCache<Token: Sendable>: Sendable {
    private let state: Locked<TokenState<Token>>

    package init(_ token: Token? = nil) { state = Locked(TokenState(token)) }

    /// The latest token, even if it is old; nil before the first token.
    package var latest: Token? { state.withLock(\.token) }

    /// The number of renewals that have ended.
    var renewalCount: Int { state.withLock { $0.renewalCount } }

    /// Returns a token. If a renewal is in progress, returns its outcome. Otherwise, returns the latest token if it is
    /// usable, or else the outcome of `renew`, which receives the latest token. `isUsable` also receives whether the
    /// token comes from a recent renewal. An error rejects all callers that wait, and the next caller tries again. A
    /// cancellation affects only the caller that cancels.
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
            // The promise always has this observer. Otherwise, the last caller to leave would cancel the renewal.
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
        // Each caller gets a promise of its own, because canceling a shared one would reject it for all callers.
        return Promise(token)
    }
}

extension TokenCache where Token: Equatable {
    /// Returns a token in place of one that the service refused. Rejects with ``NoOtherToken`` if a renewal returns the
    /// refused token. `sent` is the number of ``renewalCount`` when the request was sent. `isFromStore` says whether the
    /// renewal that returned the refused token only found it in a store: if so, another renewal may help.
    func token(
        replacing rejected: Token, sentAfter sent: Int, isFromStore: Bool = false, _ clock: Timekeeper,
        _ renew: () -> Promise<Token>
    ) -> Promise<Token> {
        @Sendable func check(_ token: Token) throws { if token == rejected { throw NoOtherToken() } }
        let renewed = take(clock, { _ in renew().get(on: nil, check) }) {
            $0.token(replacing: rejected, sentAfter: sent, isFromStore: isFromStore, now: $1)
        }
        // A caller that joins may have sent another token than the caller that began the renewal.
        return renewed.get(on: nil, check)
    }
}

/// The state of a token that can be renewed. It is a pure value, whose methods return what ``TokenCache`` returns.
///
/// The outcome of a renewal counts for all refused requests that were sent before the renewal ended, so that many of
/// them cause one renewal. It does not count for later requests, nor after the window: a renewal that failed is then
/// tried again.
struct TokenState<Token: Sendable>: Sendable {
    /// The seconds for which the outcome of a renewal is remembered.
    static var window: TimeInterval { 10 }

    /// The latest token, even if it is old; nil before the first token.
    private(set) var token: Token?
    /// The number of renewals that have ended. With this number, a request records when it was sent.
    private(set) var renewalCount = 0
    private var inProgress: Promise<Token>?
    private var last: (outcome: Result<Token, any Error>, end: TimeInterval)?

    init(_ token: Token?) { self.token = token }

    /// Returns the token for a request that is about to be sent: that of the renewal in progress, or the latest token.
    /// Returns nil if the request begins a renewal. A new token should be used even if it seems to have expired,
    /// because renewing it again would not help if the clock is wrong.
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
    /// Returns the token for a request whose token was refused; nil if the request begins a renewal. `sent` is the
    /// number of ``renewalCount`` when the request was sent. `isFromStore` says whether its token was found in a store,
    /// rather than issued just now.
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

/// The error of a source that has no token except the refused one. The result of the call is then the response that
/// refused it.
package struct NoOtherToken: Error {
    /// Whether the refused token is the result of a renewal.
    let isNew: Bool

    package init(isNew: Bool = false) { self.isNew = isNew }
}
