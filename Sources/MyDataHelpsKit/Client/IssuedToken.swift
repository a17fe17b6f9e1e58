import Foundation
import Pledge
import PledgeHTTP

/// A token that was handed out, and how long it lasts. It is never printed.
public struct IssuedToken: Sendable, Equatable {
    /// The token itself: what to hand to the participant's app.
    public let value: String
    /// How many seconds it lasts from when it was asked for.
    public let lifetime: TimeInterval
    /// When it runs out.
    public let expires: Date
    /// When to get another: at four fifths of its time, or a minute before the end, whichever is earlier.
    public var renewal: Date { expires.addingTimeInterval(min(-lifetime / 5, -min(60, lifetime))) }

    init(_ reply: TokenReply, asked: Date) {
        value = reply.accessToken
        lifetime = TimeInterval(reply.expiresIn)
        expires = asked.addingTimeInterval(lifetime)
    }
}

extension IssuedToken: CustomStringConvertible, CustomReflectable {
    /// When it runs out; never the token.
    public var description: String { "IssuedToken(expires \(ServiceDate.text(expires)))" }

    /// The same for `dump`.
    public var customMirror: Mirror { Mirror(self, children: ["expires": expires]) }
}

/// What the token endpoint answers.
struct TokenReply: Decodable, Sendable {
    let accessToken: String
    let expiresIn: Int

    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case expiresIn = "expires_in"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        accessToken = try container.decode(String.self, forKey: .accessToken)
        // "Valid for a few minutes" is all that is said where this is missing.
        expiresIn = try container.decodeIfPresent(Int.self, forKey: .expiresIn) ?? 120
    }
}

/// The token at hand, and the one being fetched, for everybody who wants one.
final class TokenCache: Sendable {
    private struct State {
        var token: IssuedToken?
        var underway: Promise<IssuedToken>?
    }

    private let timekeeper: Timekeeper
    private let state = Locked(State())

    init(timekeeper: Timekeeper) {
        self.timekeeper = timekeeper
    }

    func token(_ fetch: @escaping @Sendable () -> Promise<IssuedToken>) -> Promise<IssuedToken> {
        let now = timekeeper.now()
        let (promise, begin) = state.withLock { state -> (Promise<IssuedToken>, Resolver<IssuedToken>?) in
            if let token = state.token, token.renewal > now { return (.value(token), nil) }
            if let underway = state.underway { return (underway, nil) }
            let (promise, resolver) = Promise<IssuedToken>.pending()
            // Somebody always waits: one who gives up must not take it from the others.
            promise.pipe { _ in }
            state.underway = promise
            return (promise, resolver)
        }
        if let begin {
            fetch().pipe { [self] result in
                state.withLock { state in
                    state.underway = nil
                    state.token = try? result.get()
                }
                begin.resolve(result)
            }
        }
        return promise
    }

    /// Lets go of a token that was refused.
    func forget(_ rejected: String) {
        state.withLock { state in
            if state.token?.value == rejected { state.token = nil }
        }
    }
}

/// A participant's tokens, one after another.
final class IssuedTokens: TokenSource {
    private let cache: TokenCache
    private let fetch: @Sendable () -> Promise<IssuedToken>

    init(cache: TokenCache, fetch: @escaping @Sendable () -> Promise<IssuedToken>) {
        self.cache = cache
        self.fetch = fetch
    }

    func token() -> Promise<String> {
        cache.token(fetch).map(on: .pledge) { $0.value }
    }

    func token(replacing rejected: String) -> Promise<String> {
        cache.forget(rejected)
        return token()
    }
}

extension IssuedTokens: CustomReflectable {
    /// Nothing: what is inside belongs to several threads, and is not to be walked through.
    var customMirror: Mirror { Mirror(self, children: []) }
}
