import Foundation
import Pledge

/// The state of a token that can be renewed: a pure value, whose methods return what ``TokenCache`` does.
///
/// The outcome of a renewal counts for all refused requests that were sent before it ended, so that a wave of them
/// causes one renewal. It counts for no later one, and for none after the window: what failed once is tried again.
struct TokenState<Token: Sendable>: Sendable {
    /// The seconds for which the outcome of a renewal is remembered.
    static var window: TimeInterval { 10 }

    /// The latest token, however old; nil before the first.
    private(set) var token: Token?
    /// The number of renewals that have ended, by which a request records when it was sent.
    private(set) var renewals = 0
    private var inProgress: Promise<Token>?
    private var last: (outcome: Result<Token, any Error>, end: TimeInterval)?

    init(_ token: Token?) { self.token = token }

    /// Returns what a request that is about to be sent gets: the renewal in progress, or the token; nil if it begins a
    /// renewal. A new token should be used whatever its date says: renewing it again would not help if the clock is
    /// wrong.
    func token(if isUsable: (_ token: Token, _ isNew: Bool) -> Bool, now: TimeInterval) -> Promise<Token>? {
        if let inProgress { return inProgress }
        guard let token else { return nil }
        let isNew = if case .success? = recent(now) { true } else { false }
        return isUsable(token, isNew) ? .value(token) : nil
    }

    mutating func begin(_ renewal: Promise<Token>) { inProgress = renewal }

    mutating func end(_ outcome: Result<Token, any Error>, now: TimeInterval) {
        inProgress = nil
        renewals += 1
        last = (outcome, now)
        if case .success(let token) = outcome { self.token = token }
    }

    /// Stores a token before its renewal ends.
    mutating func store(_ token: Token) { self.token = token }

    private func recent(_ now: TimeInterval) -> Result<Token, any Error>? {
        // If the clock was set back, the time that has passed is unknown.
        last.flatMap { 0..<Self.window ~= now - $0.end ? $0.outcome : nil }
    }
}

extension TokenState where Token: Equatable {
    /// Returns what a request whose token was refused gets; nil if it begins a renewal. `sent` is the number of
    /// ``renewals`` when it was sent, and `isStored` whether its token was found, not issued just now.
    func token(
        replacing rejected: Token, sentAfter sent: Int, isStored: Bool = false, now: TimeInterval
    ) -> Promise<Token>? {
        if let inProgress { return inProgress }
        switch recent(now) {
        case .success(let renewed)? where renewed == rejected && isStored: return nil
        case .success(let renewed)? where renewed == rejected: return Promise(error: NoOtherToken(isNew: true))
        case .success(let renewed)? where sent < renewals: return .value(renewed)
        case .failure(let error)? where sent < renewals: return Promise(error: error)
        default: return nil
        }
    }
}

/// The error of a source that has no token but the refused one: the response that refused it is the result.
package struct NoOtherToken: Error {
    /// Whether the refused token is the result of a renewal.
    let isNew: Bool

    package init(isNew: Bool = false) { self.isNew = isNew }
}
