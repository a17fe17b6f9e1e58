import Foundation

/// A value protected by a lock.
final class Locked<Value>: @unchecked Sendable {
    // Unchecked because the compiler cannot verify that `value` is accessed only between `lock()` and `unlock()`.
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) {
        self.value = value
    }

    /// Calls `body` with exclusive access to the value; `body` must not acquire the same lock.
    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}

extension Locked where Value: Sendable {
    /// A copy of the current value.
    var current: Value {
        withLock { $0 }
    }
}
