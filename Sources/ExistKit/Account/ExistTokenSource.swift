import Foundation
import PledgeHTTP

/// Gives a user's token, renews it when it has run out or is refused, and hands each new pair to your store before
/// any request uses it.
public final class ExistTokenSource: TokenSource {
    private struct State {
        var token: ExistToken
        var renewal: Promise<String>?
    }

    private let oauth: ExistOAuth
    private let store: @Sendable (ExistToken) -> Promise<Void>
    private let now: @Sendable () -> Date
    private let state: Locked<State>

    /// A source.
    ///
    /// - Parameters:
    ///   - token: the pair from your store.
    ///   - oauth: what renews it.
    ///   - now: the clock.
    ///   - store: keeps a new pair. The old one is void by then, so a pair that is not kept is an account that is lost:
    ///     if this rejects, so does the request, and the pair stays in memory.
    public init(
        _ token: ExistToken, oauth: ExistOAuth, now: @escaping @Sendable () -> Date = { Date() },
        store: @escaping @Sendable (ExistToken) -> Promise<Void>
    ) {
        self.oauth = oauth
        self.now = now
        self.store = store
        state = Locked(State(token: token))
    }

    /// The access token; a new one if it has run out.
    public func token() -> Promise<String> {
        let token = state.withLock { $0.token }
        return token.isExpired(at: now()) ? self.token(replacing: token.accessToken) : .value(token.accessToken)
    }

    /// A new access token, unless it was renewed meanwhile. However many ask at the same time, the service is asked
    /// once.
    public func token(replacing rejected: String) -> Promise<String> {
        let (promise, seal, old) = state.withLock { state -> (Promise<String>, Resolver<String>?, ExistToken) in
            if let renewal = state.renewal { return (renewal, nil, state.token) }
            guard state.token.accessToken == rejected else {
                return (.value(state.token.accessToken), nil, state.token)
            }
            let (promise, seal) = Promise<String>.pending()
            // Somebody always waits: a renewal must not be cancelled half-way.
            promise.pipe { _ in }
            state.renewal = promise
            return (promise, seal, state.token)
        }
        if let seal { renew(old, seal) }
        return promise
    }

    private func renew(_ old: ExistToken, _ seal: Resolver<String>) {
        oauth.refresh(old).then(on: .pledge) { [self] fresh -> Promise<String> in
            var token = fresh
            token.refreshToken = fresh.refreshToken ?? old.refreshToken
            let kept = token
            state.withLock { $0.token = kept }
            return store(kept).map(on: .pledge) { kept.accessToken }
        }.pipe { [self] result in
            state.withLock { $0.renewal = nil }
            seal.resolve(result)
        }
    }
}

extension ExistTokenSource: CustomStringConvertible, CustomReflectable {
    /// Whose tokens; never the tokens.
    public var description: String { "ExistTokenSource(\(oauth))" }

    /// The same for `dump`.
    public var customMirror: Mirror { Mirror(self, children: ["oauth": oauth]) }
}
