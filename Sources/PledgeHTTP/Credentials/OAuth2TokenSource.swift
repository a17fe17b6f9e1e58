import Dispatch
import Foundation
import Pledge
import PledgeCoding
import PledgeFiles

/// A source of a user's access token. It renews the token shortly before the token expires, or when the service refuses
/// it. Each new pair of tokens is passed to your store before any request uses it.
///
/// ```swift
/// let tokens = OAuth2TokenSource(in: OAuth2TokenFile(file), renewing: service.refresh)
/// let client = EndpointClient(baseURL: address, authorizer: .source(tokens))
/// ```
///
/// Share one source among all clients of a user. The source makes one renewal at a time, and the outcome serves all
/// callers. If the store has a lock, such as ``OAuth2TokenFile``, the outcome also serves the callers in other
/// processes.
///
/// If the service refuses to renew a pair, the error is ``CredentialError/renewalRefused(message:)``. The source does
/// not send that pair again: requests fail until the store has another pair. Any other error of a renewal may be
/// temporary, so the source tries again for the next request.
public final class OAuth2TokenSource: TokenSource {
    private struct State {
        /// The latest pair, if it could not be saved, and the pair that it replaced. The replaced pair is still in the
        /// store, but is no longer valid.
        var unsaved: (pair: OAuth2Token, replaced: OAuth2Token?)?
        /// The latest access token, if a renewal found it in the store, or found that it could not be saved before.
        var found: String?
        /// The refresh token that the service refused, and its error.
        var refused: (refreshToken: String, error: CredentialError)?
    }

    /// The store of the tokens; nil if they are kept only in memory.
    private let store: (any OAuth2TokenStore)?
    private let leeway: TimeInterval
    private let clock: Timekeeper
    /// Requests a new pair. The argument is the latest pair, if there is one.
    private let renew: @Sendable (OAuth2Token?) -> Promise<OAuth2Token>
    private let pair: SharedRenewal<OAuth2Token>
    private let state = Locked(State())

    /// Creates a source of the tokens in a store.
    ///
    /// - Parameters:
    ///   - token: The pair in the store, if you have read it already.
    ///   - store: The store in which the tokens are kept.
    ///   - leeway: The number of seconds before a token expires at which it is renewed.
    ///   - clock: The clock that determines whether a token has expired. If the clock is wrong, a token is renewed when
    ///     the service refuses it, and the new token is used even if it seems to have expired.
    ///   - refresh: Exchanges a pair for a new one, such as ``OAuth2Client/refresh(_:)``. If the new pair has no
    ///     refresh token, the old refresh token is kept.
    public init(
        _ token: OAuth2Token? = nil, in store: some OAuth2TokenStore, leeway: TimeInterval = 60,
        clock: Timekeeper = .live, renewing refresh: @escaping @Sendable (OAuth2Token) -> Promise<OAuth2Token>
    ) {
        self.store = store
        self.leeway = leeway
        self.clock = clock
        renew = { old in old.map(refresh) ?? Promise(error: CredentialError.signInNeeded) }
        pair = SharedRenewal(token)
    }

    /// Creates a source of tokens that the app gets for itself, without a user and without a refresh token:
    ///
    /// ```swift
    /// let tokens = OAuth2TokenSource { app.token(["grant_type": "client_credentials"]) }
    /// ```
    ///
    /// - Parameters:
    ///   - store: The store through which several processes share a token; nil to keep the token in memory.
    ///   - leeway: The number of seconds before a token expires at which it is replaced.
    ///   - clock: The clock that determines whether a token has expired.
    ///   - request: Requests a token. It is called for the first token, and for each one that replaces it.
    public init(
        in store: (any OAuth2TokenStore)? = nil, leeway: TimeInterval = 60, clock: Timekeeper = .live,
        requesting request: @escaping @Sendable () -> Promise<OAuth2Token>
    ) {
        self.store = store
        self.leeway = leeway
        self.clock = clock
        renew = { _ in request() }
        pair = SharedRenewal()
    }

    /// Returns the access token. If the token is about to expire, it is renewed first. Before each renewal, the source
    /// reads the store, because another process may have stored a new token.
    ///
    /// - Rejects: With errors of the store and of the renewal; with ``CredentialError/signInNeeded`` if the store is
    ///   empty; with ``CredentialError/renewalRefused(message:)``.
    public func token() -> Promise<String> {
        let date = clock.now().addingTimeInterval(leeway)
        return token { token, isNew in isNew || !token.isExpired(at: date) }
    }

    /// Returns an access token other than the rejected one. If the token has been renewed in the meantime, the result
    /// is the renewed token. Otherwise, the source renews it. Concurrent calls share one renewal.
    public func token(replacing rejected: String) -> Promise<String> {
        token { token, _ in token.accessToken != rejected }
    }

    private func token(if isUsable: @escaping @Sendable (OAuth2Token, _ isNew: Bool) -> Bool) -> Promise<String> {
        pair.value(clock, if: isUsable) { [self] held in
            guard let store else { return renewed(held, stored: nil) }
            return store.exclusively { [self] in
                store.load().then(on: nil) { [self] stored -> Promise<OAuth2Token> in
                    let latest = latest(stored)
                    // A usable pair that differs from `held` was stored by another process, or is read for the first
                    // time, or could not be saved before. It needs no renewal.
                    guard let latest, latest != held, isUsable(latest, false) else {
                        return renewed(latest, stored: stored)
                    }
                    state.withLock { $0.found = latest.accessToken }
                    guard latest != stored else { return .value(latest) }
                    // If the pair still can't be saved, the request goes on with it. The first failure was reported.
                    return save(latest, in: store).recover(on: nil) { _ in Promise.value(latest) }
                }
            }
        }.map(on: nil, \.accessToken)
    }

    /// Returns the latest pair. Usually, this is the stored pair. If a newer pair could not be saved, and the store
    /// still has the pair that the newer one has replaced, the newer pair is returned.
    private func latest(_ stored: OAuth2Token?) -> OAuth2Token? {
        state.withLock { state in
            guard let unsaved = state.unsaved, stored == unsaved.replaced else {
                state.unsaved = nil
                return stored
            }
            return unsaved.pair
        }
    }

    private func renewed(_ old: OAuth2Token?, stored: OAuth2Token?) -> Promise<OAuth2Token> {
        if let refused = state.withLock({ $0.refused }), refused.refreshToken == old?.refreshToken {
            return Promise(error: refused.error)
        }
        // The store is checked before the renewal. The renewal may invalidate the old pair, and if the new one could
        // not be stored, it could be lost.
        let writable = store?.checkWritable() ?? Promise()
        return writable.then(on: nil) { [self] in
            renew(old).mapError(on: nil) { [self] error in failure(error, renewing: old) }
        }.then(on: nil) { [self] fresh -> Promise<OAuth2Token> in
            let kept = fresh.completed(from: old)
            state.withLock { $0.found = nil }
            guard let store else { return .value(kept) }
            state.withLock { $0.unsaved = (kept, stored) }
            return store.load().then(on: nil) { [self] now -> Promise<OAuth2Token> in
                if now == stored { return save(kept, in: store) }
                // Someone has signed out, or has signed in as another person, since the renewal began.
                state.withLock { state in
                    state.unsaved = nil
                    state.found = now?.accessToken
                }
                guard let now else { throw CredentialError.signInNeeded }
                return .value(now)
            }
        }
    }

    private func save(_ pair: OAuth2Token, in store: any OAuth2TokenStore) -> Promise<OAuth2Token> {
        store.save(pair).map(on: nil) { [self] in
            state.withLock { $0.unsaved = nil }
            return pair
        }
    }

    /// Returns the error to reject with after a failed renewal. If the service refused the pair itself, remembers the
    /// pair, because the service would always refuse it.
    private func failure(_ error: any Error, renewing old: OAuth2Token?) -> any Error {
        guard let exchange = error.exchangeError, exchange.refusesGrant else { return error }
        let refusal = CredentialError.renewalRefused(message: exchange.message)
        if let refreshToken = old?.refreshToken {
            state.withLock { $0.refused = (refreshToken, refusal) }
        }
        return refusal
    }
}

extension OAuth2TokenSource {
    /// Returns whether the latest renewal found the token in the store instead of requesting it from the service.
    ///
    /// The answer matters after a refused token was replaced, and the service refuses the second token as well. If the
    /// second token was found in the store, that token may just be old, so the source is asked once more.
    func isFromStore(_ token: String) -> Bool { state.withLock { $0.found == token } }
}

extension OAuth2TokenSource: Redacted {
    /// A placeholder. The description never contains the tokens.
    public var description: String { "OAuth2TokenSource(…)" }
}

/// A store for a user's tokens, such as a Keychain item, a row of a database, or an ``OAuth2TokenFile``.
public protocol OAuth2TokenStore: Sendable {
    /// Returns the stored tokens, or nil if there are none. The source calls this method before each renewal, because
    /// another process may have stored new tokens.
    func load() -> Promise<OAuth2Token?>

    /// Stores a new pair. The old pair may be invalid by then, so if the new pair is lost, the user may have to sign in
    /// again.
    ///
    /// If the promise rejects, the request fails, and the source keeps the pair in memory. It tries to save the pair
    /// again with the next request. Requests wait for the promise, so this method must not request a token.
    func save(_ token: OAuth2Token) -> Promise<Void>

    /// Checks whether tokens can be stored, and rejects if they can't. The source calls this method before each
    /// renewal, because the renewal may invalidate the old tokens. The default implementation does nothing.
    func checkWritable() -> Promise<Void>

    /// Performs a renewal, and ensures that no other process performs one at the same time. The default implementation
    /// is for a store that only one process uses.
    func exclusively(_ renewal: @escaping @Sendable () -> Promise<OAuth2Token>) -> Promise<OAuth2Token>
}

extension OAuth2TokenStore {
    /// Does nothing. This default is for a store that cannot check in advance whether tokens can be stored.
    public func checkWritable() -> Promise<Void> { Promise() }

    /// Performs the renewal without a lock. This default is for a store that no other process uses.
    public func exclusively(_ renewal: @escaping @Sendable () -> Promise<OAuth2Token>) -> Promise<OAuth2Token> {
        renewal()
    }
}

/// A file with a user's tokens. Only the owner of the file can read it. Any number of processes on this machine can
/// share it.
///
/// A new pair replaces the file as a whole. In the same folder, there is a lock file, whose name ends in `.lock`.
public struct OAuth2TokenFile: OAuth2TokenStore {
    /// The content of the file: an object with the members of the pair, and the additional member `service`.
    private struct Content: Codable {
        var token: OAuth2Token
        /// The origin of the service that issued the pair; nil if the store was created without a service.
        var service: String?

        enum CodingKeys: CodingKey { case service }

        init(_ token: OAuth2Token, of service: String?) {
            self.token = token
            self.service = service
        }

        init(from decoder: any Decoder) throws {
            token = try OAuth2Token(from: decoder)
            service = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(String.self, forKey: .service)
        }

        func encode(to encoder: any Encoder) throws {
            try token.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encodeIfPresent(service, forKey: .service)
        }
    }

    private let path: String
    private let service: String?
    private let queue = DispatchQueue(label: "pledge.token-file")

    /// Creates a store that keeps tokens in a file. The file need not exist yet, but its folder must.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - service: An address of the service that issues the tokens. The file records the origin of that service. If
    ///     the file has tokens of another service, they are neither sent nor replaced, and loading and saving fail. If
    ///     this is nil, tokens of any service are used.
    public init(_ url: URL, for service: URL? = nil) {
        path = url.path
        self.service = service.map { Origin($0)?.text ?? $0.absoluteString }
    }

    public func load() -> Promise<OAuth2Token?> {
        queue.async(.promise) { [path, service] in
            guard FileManager.default.fileExists(atPath: path) else { return nil }
            // The file is read without throwing, because Foundation's error would print as a domain and a number.
            guard let bytes = FileManager.default.contents(atPath: path) else {
                throw FileError("\(path) cannot be read: check its permissions.")
            }
            guard let content = try? TapeDecoder.decode(Content.self, from: JSONTape(bytes)) else {
                // The decoder's error is left out, because it could contain a token.
                throw FileError("\(path) has no tokens: remove it, and sign in again.")
            }
            try Self.check(content.service, service, path)
            return content.token
        }
    }

    public func save(_ token: OAuth2Token) -> Promise<Void> {
        queue.async(.promise) { [path, service] in
            // If this store has no service, the service that the file records is kept.
            let noted = FileManager.default.contents(atPath: path)
                .flatMap { try? TapeDecoder.decode(Content.self, from: JSONTape($0)).service }
            try Self.check(noted, service, path)
            let replacement = try Self.replacement(of: path)
            try replacement.file.writeAll(try JSONEncoder().encode(Content(token, of: service ?? noted)))
            try replacement.replaceOriginal()
        }
    }

    /// Throws if the file has tokens of a service other than the store's.
    private static func check(_ issuer: String?, _ service: String?, _ path: String) throws {
        guard let service, let issuer, issuer != service else { return }
        throw FileError("\(path) has tokens of \(issuer), not of \(service): choose another file.")
    }

    public func checkWritable() -> Promise<Void> {
        queue.async(.promise) { [path] in _ = try Self.replacement(of: path) }
    }

    public func exclusively(_ renewal: @escaping @Sendable () -> Promise<OAuth2Token>) -> Promise<OAuth2Token> {
        FileLock.holding({ [path] in try FileLock(path + ".lock") }, renewal)
    }

    private static func replacement(of path: String) throws -> Replacement {
        try Replacement(of: OutputPath(path, isSecret: true), old: nil)
    }
}

extension FileLock {
    /// Performs work while a file lock is held, and then releases the lock.
    package static func holding<T>(
        _ lock: @escaping @Sendable () throws -> FileLock, _ work: @escaping @Sendable () -> Promise<T>
    ) -> Promise<T> {
        // Waiting for the lock blocks a thread, so it happens on a separate queue.
        DispatchQueue(label: "pledge.file-lock").async(.promise) { try lock() }
            .then(on: nil) { lock in work().ensure(on: nil) { lock.release() } }
    }
}
