import Foundation
import Pledge

/// Renews a token once, however many requests were refused with it, and not again and again.
final class TokenRefresher: Sendable {
    /// Within this many seconds after a renewal, a refusal of the new token is not answered by another renewal.
    static let window: TimeInterval = 10

    private let renew: @Sendable (_ rejected: String) -> Promise<String>
    private let renewal = SingleFlight<String>()
    private let last = Locked<(rejected: String, renewed: String, at: Date)?>(nil)

    init(renew: @escaping @Sendable (_ rejected: String) -> Promise<String>) {
        self.renew = renew
    }

    /// A token instead of a rejected one: the one being fetched, one fetched meanwhile, or a new one.
    func token(replacing rejected: String, _ clock: Timekeeper) -> Promise<String> {
        renewal.join(unless: {
            guard let last = last.withLock({ $0 }) else { return nil }
            // Sent before the renewal, refused after it.
            if last.rejected == rejected { return .value(last.renewed) }
            let isNew = clock.now().timeIntervalSince(last.at) < Self.window
            return last.renewed == rejected && isNew ? Promise(error: CredentialError.refusedAgain) : nil
        }) {
            renew(rejected).get(on: nil) { [self] renewed in
                let now = clock.now()
                last.withLock { $0 = (rejected, renewed, now) }
            }
        }
    }
}
