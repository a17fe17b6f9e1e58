import Foundation

/// A limit for the number of requests with each token in an hour.
final class HourlyLimit: Sendable {
    private let now: @Sendable () -> Date
    private let state: Protected<(limit: Int?, uses: [String: [Date]])>

    init(_ limit: Int?, now: @escaping @Sendable () -> Date) {
        self.now = now
        state = Protected((limit, [:]))
    }

    /// The maximum number of times that a token may be used in an hour; nil for no maximum.
    var limit: Int? {
        get { state.withLock(\.limit) }
        set { state.withLock { $0.limit = newValue } }
    }

    /// Checks whether a token may be used once more, and if so, counts that use. Also returns the number of uses left,
    /// and the seconds until the oldest use no longer counts.
    func use(_ token: String) -> (isAllowed: Bool, left: Int, reset: Int) {
        let now = now()
        return state.withLock { state in
            guard let limit = state.limit else { return (true, .max, 3_600) }
            var recent = state.uses[token, default: []].filter { now.timeIntervalSince($0) < 3_600 }
            let isAllowed = recent.count < limit
            if isAllowed { recent.append(now) }
            state.uses[token] = recent
            let reset = recent.first.map { 3_600 - now.timeIntervalSince($0) } ?? 3_600
            return (isAllowed, max(0, limit - recent.count), Int(reset.rounded(.up)))
        }
    }
}
