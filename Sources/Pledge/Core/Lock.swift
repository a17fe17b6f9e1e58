internal import PledgeLock

/// An object with a lock in it.
///
/// `Synchronization.Mutex` would ask for macOS 15, and raises false alarms under the thread sanitizer. A lock in memory
/// of its own would cost every promise another allocation: 11 to 20 % of a hop.
public class _LockedObject: @unchecked Sendable {
    // Unchecked: `word` is only touched through C, atomically.
    private final var word: UInt32 = 0

    @usableFromInline init() {}

    /// Where the lock is. The runtime moves no object, and this is its first stored property.
    @inline(__always) private final var address: UnsafeMutablePointer<UInt32> {
        // Unsafe: Swift promises no address for a stored property, except to this function of its standard library.
        _getUnsafePointerToStoredProperties(self).assumingMemoryBound(to: UInt32.self)
    }

    @usableFromInline final func lock() { pledge_lock(address) }
    @usableFromInline final func unlock() { pledge_unlock(address) }
}

/// A value behind a lock, for the state that more than one thread changes.
package final class Locked<Value>: _LockedObject, @unchecked Sendable {
    // Unchecked: `value` is touched only under the lock.
    private var value: Value

    package init(_ value: Value) { self.value = value }

    /// Runs `body` with the value while no other thread can.
    ///
    /// `body` must not call out to code that could come back here: the lock is not recursive.
    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock()
        defer { unlock() }
        return try body(&value)
    }
}
