import Pledge
import PledgeCoding
import PledgeHTTP

/// A token that is read when first needed, and again after the service has rejected it.
final class ReadTokens: TokenSource {
    private let read: @Sendable () throws -> Promise<String>
    private let cache = TokenCache<String>()

    init(_ read: @escaping @Sendable () throws -> Promise<String>) { self.read = read }

    func token() -> Promise<String> { cache.token(.live) { _ in firstly(execute: read) } }

    /// - Rejects: With ``NoOtherToken`` if there is no newer one.
    func token(replacing rejected: String) -> Promise<String> {
        cache.token(.live, if: { token, _ in token != rejected }) { _ in firstly(execute: read) }
            .get(on: nil) { token in if token == rejected { throw NoOtherToken() } }
    }
}

/// Tokens of a source that a request obtains when the first token is needed.
final class DeferredTokens: TokenSource {
    private let find: @Sendable () throws -> Promise<any TokenSource>
    private let found = TokenCache<any TokenSource>()

    init(_ find: @escaping @Sendable () throws -> Promise<any TokenSource>) { self.find = find }

    func token() -> Promise<String> { source.then(on: nil) { $0.token() } }

    func token(replacing rejected: String) -> Promise<String> { source.then(on: nil) { $0.token(replacing: rejected) } }

    private var source: Promise<any TokenSource> { found.token(.live) { _ in firstly(execute: find) } }
}

extension ReadTokens: Redacted {
    var description: String { "ReadTokens(…)" }
}
