import Foundation
import Pledge
import PledgeCoding
import PledgeHTTP

/// An issued access token and its lifetime. The token is never printed.
public struct IssuedToken: Sendable, Equatable {
    /// The token itself, to be passed to the participant's app.
    public let value: String
    /// The lifetime in seconds, starting at the time of the request.
    public let lifetime: TimeInterval
    /// The date the token expires.
    public let expires: Date
    /// The date to renew the token: after four fifths of its lifetime, or a minute before its end if earlier.
    public var renewal: Date { expires.addingTimeInterval(min(-lifetime / 5, -min(60, lifetime))) }

    init(_ response: TokenOutput, asked: Date) {
        value = response.accessToken
        lifetime = response.expiresIn
        expires = asked.addingTimeInterval(lifetime)
    }
}

extension IssuedToken: Redacted {
    /// A description with the expiration date, never the token.
    public var description: String { "IssuedToken(expires \(ServiceDate.text(expires)))" }
}

struct TokenOutput: Readable {
    let accessToken: String
    let expiresIn: Double

    init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        accessToken = try fields.required("access_token").parsed("it is empty") { $0.isEmpty ? nil : $0.string }
        // If it is missing, the documentation only specifies "a few minutes".
        expiresIn = fields.lifetime("expires_in", otherwise: 120) ?? 120
    }
}

extension TokenCache<IssuedToken> {
    /// Returns the current token until shortly before it expires, and then the next one.
    func token(
        _ clock: Timekeeper, replacing rejected: String? = nil, _ fetch: () -> Promise<IssuedToken>
    ) -> Promise<IssuedToken> {
        let now = clock.now()
        return token(clock, if: { token, _ in token.value != rejected && token.renewal > now }) { _ in fetch() }
    }
}
