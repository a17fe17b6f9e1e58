import Dispatch
import Foundation
import Pledge
import PledgeCoding
import PledgeFiles

/// A source of a user's access token. It renews the token shortly before it expires or when it is rejected, and passes
/// each new pair to your store before any request uses it.
///
/// ```swift
/// let tokens = OAuth2TokenSource(in: OAuth2TokenFile(file), renewing: service.refresh)
/// let client = EndpointClient(baseURL: address, authorizer: .source(tokens))
/// ```
///
/// Share one source among all clients of a user. It makes one renewal at a time, whose outcome serves all callers. With a
/// store that locks, it also serves those of other processes.
///
/// If the service refuses to renew a pair, the error is ``CredentialError/renewalRefused(message:)``. The source does not
/// send that pair again: it fails until the store has another pair. Any other error of a renewal may pass, so the next
/// request tries again.
public final class OAuth2TokenSource: TokenSource {
    private struct State {
        /// The latest pair if it could not be saved, and the pair that the store still has, which is no longer valid.
        var unsaved: (pair: OAuth2Token, replaced: OAuth2Token?)?
        /// The latest access token if it was found in the store.
        var found: String?
        /// The refresh token that the service refused, and its error.
        var refused: (refreshToken: String, error: CredentialError)?
    }

    /// Nil if tokens are kept in memory only.
    private let store: (any OAuth2TokenStore)?
    private let leeway: TimeInterval
    private let clock: Timekeeper
    /// Requests a new pair. The argument is the latest pair, if there is one.
    private let renew: @Sendable (OAuth2Token?) -> Promise<OAuth2Token>
    private let cache: TokenCache<OAuth2Token>
    private let state = Locked(State())

    /// Creates a source of the tokens in a store.
    ///
    /// - Parameters:
    ///   - token: The pair in the store, if you have read it already.
    ///   - store: The place where the tokens are kept.
    ///   - leeway: The seconds before its expiration at which a token is renewed.
    ///   - clock: The clock that tokens expire by. If it is wrong, a token is renewed when the service rejects it, and
    ///     a new one is used whatever its date.
    ///   - refresh: Exchanges a pair for a new one, such as ``OAuth2Client/refresh(_:)``. A new pair without a refresh
    ///     token keeps the old one.
    public init(
        _ token: OAuth2Token? = nil, in store: some OAuth2TokenStore, leeway: TimeInterval = 60,
        clock: Timekeeper = .live, renewing refresh: @escaping @Sendable (OAuth2Token) -> Promise<OAuth2Token>
    ) {
        self.store = store
        self.leeway = leeway
        self.clock = clock
        renew = { old in old.map(refresh) ?? Promise(error: CredentialError.signInNeeded) }
        cache = TokenCache(token)
    }

    /// Creates a source of tokens that the app gets for itself, without a user and without a refresh token:
    ///
    /// ```swift
    /// let tokens = OAuth2TokenSource { app.token(["grant_type": "client_credentials"]) }
    /// ```
    ///
    /// - Parameters:
    ///   - store: The place where processes share a token; nil to keep it in memory.
    ///   - leeway: The seconds before its expiration at which a token is replaced.
    ///   - clock: The clock that tokens expire by.
    ///   - request: Requests a token, the first and each that follows.
    public init(
        in store: (any OAuth2TokenStore)? = nil, leeway: TimeInterval = 60, clock: Timekeeper = .live,
        requesting request: @escaping @Sendable () -> Promise<OAuth2Token>
    ) {
        self.store = store
        self.leeway = leeway
        self.clock = clock
        renew = { _ in request() }
        cache = TokenCache()
    }

    /// Returns the access token, renewed first if it is about to expire.
    ///
    /// - Rejects: With errors of the store and of the renewal; with ``CredentialError/signInNeeded`` if the store is empty;
    ///   with ``CredentialError/renewalRefused(message:)``. The store is read before each renewal.
    public func token() -> Promise<String> {
        let date = clock.now().addingTimeInterval(leeway)
        return token { token, isNew in isNew || !token.isExpired(at: date) }
    }

    /// Returns a new access token, unless it has been renewed meanwhile. Concurrent calls share one request.
    public func token(replacing rejected: String) -> Promise<String> {
        token { token, _ in token.accessToken != rejected }
    }

    private func token(if isUsable: @escaping @Sendable (OAuth2Token, _ isNew: Bool) -> Bool) -> Promise<String> {
        cache.token(clock, if: isUsable) { [self] held in
            guard let store else { return renewed(held, stored: nil) }
            return store.exclusively { [self] in
                store.load().then(on: nil) { [self] stored -> Promise<OAuth2Token> in
                    let latest = latest(stored)
                    // Another process has stored it, or it is read for the first time.
                    guard let latest, latest != held, isUsable(latest, false) else {
                        return renewed(latest, stored: stored)
                    }
                    state.withLock { $0.found = latest.accessToken }
                    return .value(latest)
                }
            }
        }.map(on: nil, \.accessToken)
    }

    /// Returns the newer of two pairs: the stored one, unless it is still the one that an unsaved pair has replaced.
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
        // Asked before the renewal, which may revoke the old pair: a new pair that cannot be stored could be lost.
        let writable = store?.checkWritable() ?? Promise()
        return writable.then(on: nil) { [self] in
            renew(old).mapError(on: nil) { [self] error in failure(error, renewing: old) }
        }.then(on: nil) { [self] fresh -> Promise<OAuth2Token> in
            let kept = fresh.completed(from: old)
            cache.store(kept)
            state.withLock { $0.found = nil }
            guard let store else { return .value(kept) }
            state.withLock { $0.unsaved = (kept, stored) }
            return store.save(kept).map(on: nil) { [self] in
                state.withLock { $0.unsaved = nil }
                return kept
            }
        }
    }

    /// Returns the error that a failed renewal means. Remembers a pair that the service refused, because it will always
    /// refuse that pair.
    private func failure(_ error: any Error, renewing old: OAuth2Token?) -> any Error {
        guard let exchange = error.exchangeError, exchange.refusesGrant else { return error }
        let refusal = CredentialError.renewalRefused(message: exchange.message)
        if let refreshToken = old?.refreshToken {
            state.withLock { $0.refused = (refreshToken, refusal) }
        }
        return refusal
    }
}

extension OAuth2TokenSource: StoredTokens {
    package func isFromStore(_ token: String) -> Bool { state.withLock { $0.found == token } }
}

extension OAuth2TokenSource: Redacted {
    /// A placeholder, never the tokens.
    public var description: String { "OAuth2TokenSource(…)" }
}

/// The storage of a user's tokens, such as a Keychain item, a row of a database, or an ``OAuth2TokenFile``.
public protocol OAuth2TokenStore: Sendable {
    /// Returns the stored tokens, or nil. Called before each renewal: another process may have stored new ones.
    func load() -> Promise<OAuth2Token?>

    /// Stores a new pair. The old one may be invalid by then, so losing the new one may mean losing the account: if
    /// this rejects, so does the request, and the pair stays in memory. Callers wait for it, so it must not request a
    /// token.
    func save(_ token: OAuth2Token) -> Promise<Void>

    /// Rejects if tokens could not be stored, before the old ones are renewed. The default does nothing.
    func checkWritable() -> Promise<Void>

    /// Performs a renewal while no other process does. The default is for a store that only one process uses.
    func exclusively(_ renewal: @escaping @Sendable () -> Promise<OAuth2Token>) -> Promise<OAuth2Token>
}

extension OAuth2TokenStore {
    /// Does nothing: only saving shows whether such a store can be written.
    public func checkWritable() -> Promise<Void> { Promise() }

    /// Performs the renewal, for a store that no other process uses.
    public func exclusively(_ renewal: @escaping @Sendable () -> Promise<OAuth2Token>) -> Promise<OAuth2Token> {
        renewal()
    }
}

/// A file with a user's tokens that only its owner can read, shared by any number of processes on this machine.
///
/// A new pair replaces the file as a whole. Next to it is a lock file, whose name ends in `.lock`.
public struct OAuth2TokenFile: OAuth2TokenStore {
    /// The content of the file: an object with the members of the pair and one more.
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

    /// Creates a store in a file, which need not exist yet, of a folder that does.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - service: An address of the service that issues the tokens. The file notes its host, and tokens that another
    ///     service issued are an error: they are neither sent nor replaced. If this is nil, tokens of any service are used.
    public init(_ url: URL, for service: URL? = nil) {
        path = url.path
        self.service = service.map { Origin($0)?.text ?? $0.absoluteString }
    }

    public func load() -> Promise<OAuth2Token?> {
        queue.async(.promise) { [path, service] in
            guard FileManager.default.fileExists(atPath: path) else { return nil }
            // Foundation's error would read as a domain and a number.
            guard let bytes = FileManager.default.contents(atPath: path) else {
                throw FileError("\(path) cannot be read: check its permissions.")
            }
            guard let content = try? JSONDecoder().decode(Content.self, from: bytes) else {
                // The error of the decoder could contain a token.
                throw FileError("\(path) has no tokens: remove it, and sign in again.")
            }
            try Self.check(content.service, service, path)
            return content.token
        }
    }

    public func save(_ token: OAuth2Token) -> Promise<Void> {
        queue.async(.promise) { [path, service] in
            // A store that names no service does not take away what the file says of it.
            let noted = FileManager.default.contents(atPath: path)
                .flatMap { try? JSONDecoder().decode(Content.self, from: $0).service }
            try Self.check(noted, service, path)
            let replacement = try Self.replacement(of: path)
            try replacement.file.writeAll(try JSONEncoder().encode(Content(token, of: service ?? noted)))
            try replacement.replaceOriginal()
        }
    }

    /// Throws if the file has tokens of another service than the store's.
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
    /// Performs work while a lock is held.
    package static func holding<T>(
        _ lock: @escaping @Sendable () throws -> FileLock, _ work: @escaping @Sendable () -> Promise<T>
    ) -> Promise<T> {
        // Waiting for the lock blocks a thread, so it has a queue of its own.
        DispatchQueue(label: "pledge.file-lock").async(.promise) { try lock() }
            .then(on: nil) { lock in work().ensure(on: nil) { lock.release() } }
    }
}
