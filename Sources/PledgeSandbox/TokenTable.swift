import Foundation

/// The tokens of a service. The table stores what each token permits, when it expires, and when it was used in the last
/// hour.
final class TokenTable<Permission: Sendable>: Sendable {
    private struct State {
        var entries: [String: (permission: Permission, expires: Date)] = [:]
        var uses: [String: [Date]] = [:]
        var limit: Int?
    }

    private let now: @Sendable () -> Date
    private let state: Protected<State>

    init(limit: Int? = nil, now: @escaping @Sendable () -> Date) {
        self.now = now
        state = Protected(State(limit: limit))
    }

    /// The maximum number of times that a token may be used in an hour; nil for no maximum.
    var limit: Int? {
        get { state.withLock(\.limit) }
        set { state.withLock { $0.limit = newValue } }
    }

    func add(_ token: String, _ permission: Permission, lifetime: TimeInterval? = nil) {
        let expires = lifetime.map(now().addingTimeInterval) ?? .distantFuture
        state.withLock { $0.entries[token] = (permission, expires) }
    }

    /// Removes a token. Returns what the token permitted; nil if it was not valid.
    @discardableResult
    func remove(_ token: String) -> Permission? {
        state.withLock { $0.entries.removeValue(forKey: token) }.flatMap { $0.expires > now() ? $0.permission : nil }
    }

    /// Returns what a token permits; nil if the token is unknown or has expired.
    subscript(token: String) -> Permission? {
        state.withLock { $0.entries[token] }.flatMap { $0.expires > now() ? $0.permission : nil }
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
