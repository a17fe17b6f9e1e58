import Foundation

/// A value behind a lock.
final class Locked<Value>: @unchecked Sendable {
    // Unchecked because the compiler cannot see that `value` is touched only between `lock()` and `unlock()`.
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) {
        self.value = value
    }

    /// Runs `body` with the value while no one else can reach it; `body` must not come back to the same lock.
    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}

extension Locked where Value: Sendable {
    /// A copy of the value as it is now.
    var current: Value {
        withLock { $0 }
    }
}
