import Foundation
import Pledge

/// Renews a token once, however many requests were refused with it, and not again and again.
final class TokenRefresher: Sendable {
    /// Within this many seconds after a renewal, a refusal of the new token is not answered by another renewal.
    static let window: TimeInterval = 10

    private let timekeeper: Timekeeper
    private let renew: @Sendable (_ rejected: String) -> Promise<String>
    private let state = Locked(State())

    private struct State {
        var underway: Promise<String>?
        var last: (rejected: String, renewed: String, at: Date)?
    }

    init(timekeeper: Timekeeper, renew: @escaping @Sendable (_ rejected: String) -> Promise<String>) {
        self.timekeeper = timekeeper
        self.renew = renew
    }

    /// A token instead of a rejected one: the one being fetched, one fetched meanwhile, or a new one.
    func token(replacing rejected: String) -> Promise<String> {
        let now = timekeeper.now()
        let (promise, begin) = state.withLock { state -> (Promise<String>, Resolver<String>?) in
            if let underway = state.underway { return (underway, nil) }
            if let last = state.last {
                // Sent before the renewal, refused after it.
                if last.rejected == rejected { return (.value(last.renewed), nil) }
                if last.renewed == rejected, now.timeIntervalSince(last.at) < Self.window {
                    return (Promise(error: CredentialError.refusedAgain), nil)
                }
            }
            let (promise, resolver) = Promise<String>.pending()
            // Somebody always waits: requests that are cancelled meanwhile must not take the renewal along.
            promise.pipe { _ in }
            state.underway = promise
            return (promise, resolver)
        }
        if let begin { fetch(replacing: rejected, begin) }
        return promise
    }

    private func fetch(replacing rejected: String, _ resolver: Resolver<String>) {
        // Not derived from the promise the requests wait for: their cancelling must not end a renewal half-way.
        renew(rejected).pipe { [self] result in
            let now = timekeeper.now()
            state.withLock { state in
                state.underway = nil
                if case .success(let token) = result { state.last = (rejected, token, now) }
            }
            resolver.resolve(result)
        }
    }
}
