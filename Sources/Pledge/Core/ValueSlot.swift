/// Room for a value that comes later, without the cost of an optional.
///
/// To free a `T?` inside a generic class, Swift looks up the metadata of `Optional<T>` each time, a seventh of what a
/// hop costs. The layout of this room does not depend on `T`, so freeing it costs nothing; the owner, who knows
/// whether there is a value, destroys that itself. Small values lie in place, others in memory of their own.
@usableFromInline
struct ValueSlot<T> {
    @usableFromInline var words: (UInt, UInt, UInt) = (0, 0, 0)

    @inlinable
    init() {}

    @inlinable @inline(__always)
    static var isInPlace: Bool {
        MemoryLayout<T>.size <= MemoryLayout<(UInt, UInt, UInt)>.size
            && MemoryLayout<T>.alignment <= MemoryLayout<UInt>.alignment
    }

    /// Puts a value in. Once.
    @inlinable @inline(__always)
    mutating func initialize(to value: T) {
        if Self.isInPlace {
            withUnsafeMutablePointer(to: &words) {
                UnsafeMutableRawPointer($0).assumingMemoryBound(to: T.self).initialize(to: value)
            }
        } else {
            let memory = UnsafeMutablePointer<T>.allocate(capacity: 1)
            memory.initialize(to: value)
            words.0 = UInt(bitPattern: memory)
        }
    }

    /// The value, which must be there.
    @inlinable
    var value: T {
        @inline(__always)
        get {
            if Self.isInPlace {
                // A read, as many threads may at once: never `&words`, which would be an access to change it.
                withUnsafePointer(to: words) { UnsafeRawPointer($0).assumingMemoryBound(to: T.self).pointee }
            } else {
                memory.pointee
            }
        }
    }

    /// Destroys the value, which must be there.
    @inlinable @inline(__always)
    mutating func deinitialize() {
        if Self.isInPlace {
            _ = withUnsafeMutablePointer(to: &words) {
                UnsafeMutableRawPointer($0).assumingMemoryBound(to: T.self).deinitialize(count: 1)
            }
        } else {
            memory.deinitialize(count: 1)
            memory.deallocate()
        }
    }

    @inlinable @inline(__always)
    var memory: UnsafeMutablePointer<T> {
        UnsafeMutablePointer(bitPattern: words.0).unsafelyUnwrapped
    }
}
