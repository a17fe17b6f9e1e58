import Foundation
import Pledge
import PledgeCoding
import PledgeHTTP

/// The tokens of an account in a run, remembered in order to redact them in errors.
final class AccountTokens: TokenSource {
    private let source: any TokenSource
    private let seen = Locked<Set<String>>([])

    init(_ source: any TokenSource) { self.source = source }

    func token() -> Promise<String> { remembering(source.token()) }

    func token(replacing rejected: String) -> Promise<String> { remembering(source.token(replacing: rejected)) }

    /// Returns the text without the tokens, which a service's message may contain.
    func hidden(in text: String) -> String {
        seen.withLock { $0 }.filter { $0.count >= 6 }.reduce(text) { $0.replacingOccurrences(of: $1, with: "…") }
    }

    private func remembering(_ token: Promise<String>) -> Promise<String> {
        token.get(on: nil) { [seen] token in seen.withLock { _ = $0.insert(token) } }
    }
}

/// A token that is read when first needed, and again after the service has rejected it.
final class ReadTokens: TokenSource {
    private let mayChange: Bool
    private let read: @Sendable () -> Promise<String>
    private let cache = TokenCache<String>()

    /// - Parameter mayChange: Whether reading again may return another token.
    init(mayChange: Bool = true, _ read: @escaping @Sendable () -> Promise<String>) {
        (self.mayChange, self.read) = (mayChange, read)
    }

    func token() -> Promise<String> { cache.token(.live) { _ in read() } }

    /// - Rejects: With ``NoOtherToken`` if there is no newer one.
    func token(replacing rejected: String) -> Promise<String> {
        cache.token(.live, if: { token, _ in token != rejected }) { _ in
            mayChange ? read() : Promise(error: NoOtherToken())
        }.get(on: nil) { token in if token == rejected { throw NoOtherToken() } }
    }
}

/// Tokens of a source that a request obtains when the first token is needed.
final class DeferredTokens: TokenSource {
    private let find: @Sendable () -> Promise<any TokenSource>
    private let found = TokenCache<any TokenSource>()

    init(_ find: @escaping @Sendable () -> Promise<any TokenSource>) { self.find = find }

    func token() -> Promise<String> { source.then(on: nil) { $0.token() } }

    func token(replacing rejected: String) -> Promise<String> { source.then(on: nil) { $0.token(replacing: rejected) } }

    private var source: Promise<any TokenSource> { found.token(.live) { _ in find() } }
}

extension AccountTokens: Redacted {
    var description: String { "AccountTokens(…)" }
}

extension ReadTokens: Redacted {
    var description: String { "ReadTokens(…)" }
}
