/// A 16-byte hash of an account, a token, or an item of a list. It is different in every process, so that nobody can
/// choose names whose hashes collide.
package struct HashKey: Hashable, Sendable {
    package var high: UInt64
    package var low: UInt64
}

extension HashKey {
    static func random() -> HashKey { HashKey(high: .random(in: 0 ... .max), low: .random(in: 0 ... .max)) }

    /// - Parameter texts: The parts of the name, which are compared byte by byte.
    package init(_ texts: String...) {
        var hasher = Hasher()
        for var text in texts {
            text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
            // No text contains this byte, so the parts cannot run into each other.
            hasher.combine(0xFF as UInt8)
        }
        low = UInt64(truncatingIfNeeded: hasher.finalize())
        // The hasher's state has 32 bytes, so what has the same 8 at its end has others when one more byte follows.
        hasher.combine(0xFF as UInt8)
        high = UInt64(truncatingIfNeeded: hasher.finalize())
    }
}
