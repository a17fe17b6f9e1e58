import Foundation

/// Values that expire, such as what a token permits.
final class ExpiringTable<Value: Sendable>: Sendable {
    private let now: @Sendable () -> Date
    private let entries = Protected<[String: (value: Value, expires: Date)]>([:])

    init(now: @escaping @Sendable () -> Date) { self.now = now }

    /// Adds a value, or replaces the value that the key has.
    ///
    /// - Parameter lifetime: The number of seconds until the value expires; nil if it never expires.
    func add(_ key: String, _ value: Value, lifetime: TimeInterval? = nil) {
        let expires = lifetime.map(now().addingTimeInterval) ?? .distantFuture
        entries.withLock { $0[key] = (value, expires) }
    }

    /// Removes a value, and returns it. Returns nil if there is no such value, or if it has expired.
    @discardableResult
    func remove(_ key: String) -> Value? {
        entries.withLock { $0.removeValue(forKey: key) }.flatMap { $0.expires > now() ? $0.value : nil }
    }

    /// Returns a value; nil if there is no such value, or if it has expired.
    subscript(key: String) -> Value? {
        entries.withLock { $0[key] }.flatMap { $0.expires > now() ? $0.value : nil }
    }
}
