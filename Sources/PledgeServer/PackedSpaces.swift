import Foundation

/// A run of spaces in zlib's format, compressed as tightly as deflate allows: 13 bits for each 258 spaces.
struct PackedSpaces {
    private(set) var bytes = Data([0x78, 0xDA])
    private var bits: UInt32 = 0
    private var bitCount: UInt32 = 0

    /// Creates a run of at least `count` spaces.
    init(count: Int) {
        let runs = max(1, (count - 1 + 257) / 258)
        // A single final block with deflate's fixed codes.
        append(1, bits: 1)
        append(1, bits: 2)
        append(code: 0x30 + 0x20, bits: 8)
        for _ in 0..<runs {
            // Repeats 258 bytes (code 285) at distance one (code 0).
            append(code: 0b1100_0101, bits: 8)
            append(code: 0, bits: 5)
        }
        append(code: 0, bits: 7)
        append(0, bits: 7)
        // The sum of the bytes, and the sum of its values after each byte.
        let spaces = 1 + runs * 258
        for sum in [spaces + 16 * spaces * (spaces + 1), 1 + 32 * spaces] {
            bytes += [UInt8(sum % 65_521 / 256), UInt8(sum % 65_521 % 256)]
        }
    }

    private mutating func append(_ value: UInt32, bits count: UInt32) {
        bits |= value << bitCount
        bitCount += count
        while bitCount >= 8 {
            bytes.append(UInt8(truncatingIfNeeded: bits))
            bits >>= 8
            bitCount -= 8
        }
    }

    /// Deflate writes its codes starting with the most significant bit.
    private mutating func append(code: UInt32, bits count: UInt32) {
        var turned: UInt32 = 0
        for index in 0..<count where code >> index & 1 == 1 { turned |= 1 << (count - 1 - index) }
        append(turned, bits: count)
    }
}
