import Foundation

/// A value protected by a lock.
package final class Protected<Value>: @unchecked Sendable {
    // Unchecked because the compiler cannot verify that `value` is accessed only under the lock.
    private let lock = NSLock()
    private var value: Value

    package init(_ value: Value) {
        self.value = value
    }

    /// Calls `body` with exclusive access to the value; `body` must not acquire the same lock.
    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try lock.withLock { try body(&value) }
    }
}

extension Protected where Value: Sendable {
    package var current: Value { withLock { $0 } }
}
