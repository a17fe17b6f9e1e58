/// A value behind a lock, for the state that more than one thread changes.
package final class Locked<Value>: @unchecked Sendable {
    // Unchecked: `value` is touched only between `lock()` and `unlock()`.
    private let lock = Lock()
    private var value: Value

    package init(_ value: Value) {
        self.value = value
    }

    deinit {
        lock.destroy()
    }

    /// Runs `body` with the value while no other thread can.
    ///
    /// `body` must not call out to code that could come back here: the lock is not recursive.
    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
