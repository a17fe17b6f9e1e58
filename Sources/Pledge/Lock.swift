internal import PledgeLock

/// An object with a built-in lock.
///
/// `Synchronization.Mutex` isn't used, because it requires macOS 15, and because the thread sanitizer reports false
/// positives for it. A lock that is allocated separately would cost 11 to 20 % of a hop of a chain.
@usableFromInline package class LockedObject: @unchecked Sendable {
    // Unchecked: only C code accesses `word`, and only with atomic operations. Whoever locks sees everything that was
    // written before the last unlock.
    private final var word: UInt32 = 0

    @usableFromInline init() {}

    /// The address of `word`, which is the first stored property. It never changes, because the runtime doesn't move
    /// objects.
    @inline(__always) private final var address: UnsafeMutablePointer<UInt32> {
        // Unsafe: Swift guarantees the address of a stored property only if it comes from this function of the standard
        // library.
        _getUnsafePointerToStoredProperties(self).assumingMemoryBound(to: UInt32.self)
    }

    @usableFromInline final func lock() {
        #if DEBUG
            scheduler?.willLock(self)
        #endif
        pledge_lock(address)
    }

    @usableFromInline final func unlock() {
        pledge_unlock(address)
        #if DEBUG
            scheduler?.didUnlock(self)
        #endif
    }

    @inline(__always) @discardableResult final func locked<Result>(_ body: () throws -> Result) rethrows -> Result {
        lock()
        defer { unlock() }
        return try body()
    }
}

/// A value protected by a lock, for state that more than one thread changes.
package final class Locked<Value>: LockedObject, @unchecked Sendable {
    // Unchecked: `value` is only accessed under the lock.
    private var value: Value

    package init(_ value: Value) { self.value = value }

    /// Runs `body` with exclusive access to the value.
    ///
    /// The lock isn't recursive, so `body` must not call anything that might call this method again.
    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try locked { try body(&value) }
    }
}
