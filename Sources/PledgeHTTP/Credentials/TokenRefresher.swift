import Foundation
import Pledge

/// Renews a token once, no matter how many requests were refused with it, and not repeatedly.
final class TokenRefresher: Sendable {
    /// The seconds after a renewal during which a refusal of the new token does not cause another renewal.
    static let window: TimeInterval = 10

    private let renew: @Sendable (_ rejected: String) -> Promise<String>
    private let renewal = SingleFlight<String>()
    private let last = Locked<(rejected: String, renewed: String, at: TimeInterval)?>(nil)

    init(renew: @escaping @Sendable (_ rejected: String) -> Promise<String>) {
        self.renew = renew
    }

    /// Returns a replacement for a refused token: one being requested, one received in the meantime, or a new one.
    func token(replacing rejected: String, _ clock: Timekeeper) -> Promise<String> {
        renewal.join(unless: {
            guard let last = last.withLock({ $0 }) else { return nil }
            // The request was sent before the renewal and refused after it.
            if last.rejected == rejected { return .value(last.renewed) }
            let isNew = clock.uptime() - last.at < Self.window
            return last.renewed == rejected && isNew ? Promise(error: CredentialError.refusedAgain) : nil
        }) {
            renew(rejected).get(on: nil) { [self] renewed in
                let now = clock.uptime()
                last.withLock { $0 = (rejected, renewed, now) }
            }
        }
    }
}
