/// A 16-byte hash of an account, a token, or an item of a list. It is different in every process, so that nobody can
/// choose names whose hashes collide.
package struct HashKey: Hashable, Sendable {
    package var high: UInt64
    package var low: UInt64
}

extension HashKey {
    package init(_ bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        func hash(_ number: UInt8) -> UInt64 {
            var hasher = Hasher()
            hasher.combine(number)
            bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
            return UInt64(truncatingIfNeeded: hasher.finalize())
        }
        (high, low) = (hash(0), hash(1))
    }
}
