import Pledge
import PledgeHTTP

extension FetchedTokens {
    /// Returns a source of a token that is read when first needed, and again after the service has rejected it. Rejects
    /// with ``NoOtherToken`` if there is no newer one.
    static func reading(_ read: @escaping @Sendable () throws -> Promise<String>) -> FetchedTokens {
        let cache = TokenCache<String>()
        return FetchedTokens { rejected in
            cache.token(.live, if: { token, _ in token != rejected }) { _ in firstly(execute: read) }
                .get(on: nil) { token in if token == rejected { throw NoOtherToken() } }
        }
    }

    /// Returns the tokens of a source that a request obtains when the first token is needed.
    static func deferred(_ find: @escaping @Sendable () throws -> Promise<any TokenSource>) -> FetchedTokens {
        let found = TokenCache<any TokenSource>()
        return FetchedTokens(isStored: { (found.latest as? any StoredTokens)?.isStored($0) ?? false }) { rejected in
            found.token(.live) { _ in firstly(execute: find) }
                .then(on: nil) { source in rejected.map(source.token(replacing:)) ?? source.token() }
        }
    }
}
