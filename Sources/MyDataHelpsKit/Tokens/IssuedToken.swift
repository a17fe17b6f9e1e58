import Foundation
import Pledge
import PledgeCoding
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

extension IssuedToken: Discreet {
    /// When it runs out; never the token.
    public var description: String { "IssuedToken(expires \(ServiceDate.text(expires)))" }
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
    private let clock: Timekeeper
    private let atHand = Locked<IssuedToken?>(nil)
    private let fetching = SingleFlight<IssuedToken>()

    init(clock: Timekeeper) {
        self.clock = clock
    }

    func token(_ fetch: () -> Promise<IssuedToken>) -> Promise<IssuedToken> {
        fetching.join(unless: {
            atHand.withLock { $0 }.flatMap { $0.renewal > clock.now() ? .value($0) : nil }
        }) {
            fetch().get(on: nil) { [atHand] token in atHand.withLock { $0 = token } }
        }
    }

    /// Lets go of a token that was refused.
    func forget(_ rejected: String) {
        atHand.withLock { token in
            if token?.value == rejected { token = nil }
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
        cache.token(fetch).map(on: nil) { $0.value }
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
