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

/// A first-in, first-out queue that reuses a ring buffer. An array would be slower: its `removeFirst` shifts the
/// remaining elements, and its `removeAll` costs as much as the rest of a hop of a chain.
package struct FIFO<Element> {
    /// The ring buffer. Its size is zero or a power of two.
    private var slots: ContiguousArray<Element?> = []
    private var first = 0
    package private(set) var count = 0

    package init() {}

    package var isEmpty: Bool { count == 0 }

    @inline(__always) private func slot(_ index: Int) -> Int { (first &+ index) & (slots.count &- 1) }

    @inline(__always) package mutating func append(_ element: consuming Element) {
        if count == slots.count { grow() }
        slots[slot(count)] = element
        count &+= 1
    }

    @inline(never) private mutating func grow() {
        var grown = ContiguousArray<Element?>(repeating: nil, count: max(1, 2 * count))
        for index in 0..<count { grown[index] = slots[slot(index)] }
        slots = grown
        first = 0
    }

    @inline(__always) package mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        defer {
            first = slot(1)
            count &-= 1
            // After a burst that needed much memory, releases the memory.
            if count == 0, slots.count > 1 << 14 { slots = [] }
        }
        return slots[first].take()
    }
}

extension FIFO: Sendable where Element: Sendable {}
