/// A 16-byte hash of an item, a token, or an entry of a list. It is different in every process, so that nobody can
/// choose names whose hashes collide.
package struct HashKey: Hashable, Sendable {
    package var high: UInt64
    package var low: UInt64

    package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}

extension HashKey {
    package static func random() -> HashKey { HashKey(high: .random(in: 0 ... .max), low: .random(in: 0 ... .max)) }

    /// - Parameters:
    ///   - texts: The parts of the name, which are compared byte by byte.
    ///   - value: What else tells it from others.
    package init(_ texts: String..., and value: some Hashable = 0) {
        var hasher = Hasher()
        hasher.combine(value)
        for var text in texts {
            text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
            // No text contains this byte, so the parts cannot run into each other.
            hasher.combine(0xFF as UInt8)
        }
        // Names with the same hash differ in the rest of the hasher's state, and so in their hashes with one more byte,
        // which no text contains either.
        var longer = hasher
        longer.combine(0xFE as UInt8)
        low = UInt64(truncatingIfNeeded: hasher.finalize())
        high = UInt64(truncatingIfNeeded: longer.finalize())
    }
}
