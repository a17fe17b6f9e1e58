internal import PledgeLock

/// A lock with memory of its own.
///
/// `Synchronization.Mutex` would ask for macOS 15, and raises false alarms under the thread sanitizer.
struct Lock: @unchecked Sendable {
    // Unchecked: the pointer never changes, and what it points to is made to be shared between threads.
    private let word = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)

    init() {
        word.initialize(to: 0)
    }

    /// Gives the memory back; only for the owner.
    func destroy() {
        word.deallocate()
    }

    @inline(__always)
    func lock() {
        pledge_lock(word)
    }

    @inline(__always)
    func unlock() {
        pledge_unlock(word)
    }
}

/// A flag that may be read without the lock under which it is changed.
///
/// Whoever learned, through any lock, of what went before a change sees that change.
struct Flag: @unchecked Sendable {
    // Unchecked: the pointer never changes, and what it points to is read and written atomically.
    private let word = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)

    init() {
        word.initialize(to: 0)
    }

    var isSet: Bool {
        @inline(__always) get { pledge_load(word) != 0 }
    }

    @inline(__always)
    func set(_ value: Bool) {
        pledge_store(word, value ? 1 : 0)
    }
}

/// Counts down from any thread.
///
/// Whoever takes the last step sees what the others did before theirs.
struct Countdown: ~Copyable, @unchecked Sendable {
    // Unchecked: the pointer never changes, and what it points to is read and written atomically.
    private let word = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)

    init(_ count: Int) {
        word.initialize(to: UInt32(count))
    }

    deinit {
        word.deallocate()
    }

    /// - Returns: whether this was the last.
    func step() -> Bool {
        pledge_decrement(word) == 0
    }

    var isOver: Bool { pledge_load(word) == 0 }
}

/// Knows, at the price of a look at the thread's own memory, whose drain runs the calling code.
enum Drain {
    static var here: Unmanaged<DeliveryQueue>? {
        @inline(__always) get { pledge_mark().map(Unmanaged.fromOpaque) }
    }

    static func begin(_ queue: DeliveryQueue) {
        pledge_set_mark(Unmanaged.passUnretained(queue).toOpaque())
    }

    static func end() {
        pledge_set_mark(nil)
    }
}

extension _AnyPromise {
    // The locks that guard promises are shared out by address. A promise cannot hold its lock inline (Swift promises no
    // fixed address for a stored property), and one allocated for each would cost as much as the rest of a hop. Two
    // promises may share a lock: nothing here holds two at once, and no foreign code (a handler, a `deinit`) ever runs
    // under one.

    @usableFromInline
    final func lock() {
        pledge_lock_object(Unmanaged.passUnretained(self).toOpaque())
    }

    @usableFromInline
    final func unlock() {
        pledge_unlock_object(Unmanaged.passUnretained(self).toOpaque())
    }
}
