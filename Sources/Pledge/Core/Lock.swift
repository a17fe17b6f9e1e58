#if canImport(Darwin)
    import os

    typealias RawLock = os_unfair_lock_s
#elseif canImport(Glibc)
    import Glibc

    typealias RawLock = pthread_mutex_t
#elseif canImport(Musl)
    import Musl

    typealias RawLock = pthread_mutex_t
#elseif canImport(Android)
    import Android

    typealias RawLock = pthread_mutex_t
#endif

/// A lock at a fixed address: the only place that names the platform's own.
///
/// `Synchronization.Mutex` would ask for macOS 15, and raises false alarms under the thread sanitizer.
struct Lock: @unchecked Sendable {
    // Unchecked: the pointer never changes, and what it points to is made to be shared between threads.
    private let raw: UnsafeMutablePointer<RawLock>

    /// A new lock, with memory of its own.
    init() {
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: MemoryLayout<RawLock>.size, alignment: MemoryLayout<RawLock>.alignment)
        Lock.initialize(at: memory)
        self.init(at: memory)
    }

    /// The lock that was initialised at this address.
    @inline(__always)
    init(at address: UnsafeMutableRawPointer) {
        raw = address.assumingMemoryBound(to: RawLock.self)
    }

    static func initialize(at address: UnsafeMutableRawPointer) {
        #if canImport(Darwin)
            address.initializeMemory(as: RawLock.self, to: os_unfair_lock_s())
        #else
            pthread_mutex_init(address.initializeMemory(as: RawLock.self, to: pthread_mutex_t()), nil)
        #endif
    }

    /// Gives the memory back; only for the owner of a lock made with `init()`.
    func destroy() {
        #if !canImport(Darwin)
            pthread_mutex_destroy(raw)
        #endif
        raw.deinitialize(count: 1)
        raw.deallocate()
    }

    @inline(__always)
    func lock() {
        #if canImport(Darwin)
            os_unfair_lock_lock(raw)
        #else
            pthread_mutex_lock(raw)
        #endif
    }

    @inline(__always)
    func unlock() {
        #if canImport(Darwin)
            os_unfair_lock_unlock(raw)
        #else
            pthread_mutex_unlock(raw)
        #endif
    }
}

/// The locks that guard promises, shared out by address.
///
/// A promise cannot hold its lock inline (Swift promises no fixed address for a stored property), and one allocated
/// for each would cost as much as the rest of a hop. Two promises may share a lock: nothing here holds two at once,
/// and no foreign code (a handler, a `deinit`) ever runs under one.
enum LockTable {
    private static let count = 64
    // One lock per pair of cache lines, so that two threads on two locks do not slow each other down.
    private static let stride = 128

    private static let base: Table = {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: count * stride, alignment: stride)
        for index in 0..<count { Lock.initialize(at: memory + index * stride) }
        return Table(memory: memory)
    }()

    private struct Table: @unchecked Sendable {
        // Unchecked: written once, before anyone can see it, and never freed.
        let memory: UnsafeMutableRawPointer
    }

    /// The lock of an object.
    @inline(__always)
    static func lock(for object: AnyObject) -> Lock {
        let address = UInt64(UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()))
        let index = Int(truncatingIfNeeded: (address &* 0x9E37_79B9_7F4A_7C15) >> 58)
        return Lock(at: base.memory + index &* stride)
    }
}
