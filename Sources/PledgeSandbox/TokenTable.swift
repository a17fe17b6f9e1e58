import Foundation

/// The tokens of a service: what each token permits, when it expires, and when it was used in the last hour.
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

    /// The maximum number of uses per token and hour.
    var limit: Int? {
        get { state.withLock(\.limit) }
        set { state.withLock { $0.limit = newValue } }
    }

    func add(_ token: String, _ permission: Permission, lifetime: TimeInterval? = nil) {
        let expires = lifetime.map(now().addingTimeInterval) ?? .distantFuture
        state.withLock { $0.entries[token] = (permission, expires) }
    }

    /// Removes a token, and returns what it permitted; nil if it was not valid.
    @discardableResult
    func remove(_ token: String) -> Permission? {
        state.withLock { $0.entries.removeValue(forKey: token) }.flatMap { $0.expires > now() ? $0.permission : nil }
    }

    /// Returns what a token permits; nil if it is not valid.
    subscript(token: String) -> Permission? {
        state.withLock { $0.entries[token] }.flatMap { $0.expires > now() ? $0.permission : nil }
    }

    /// Counts a use if it is allowed. Returns the number of uses left, and the seconds until the oldest use no longer
    /// counts.
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
