import Foundation

/// A run of spaces, compressed as tightly as deflate allows: 13 bits for each 258 spaces.
struct PackedSpaces {
    private(set) var gzip = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF])
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
        let size = UInt32(truncatingIfNeeded: 1 + runs * 258)
        for word in [Self.checksum(ofSpaces: 1 + runs * 258), size] {
            gzip += (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
        }
    }

    private mutating func append(_ value: UInt32, bits count: UInt32) {
        bits |= value << bitCount
        bitCount += count
        while bitCount >= 8 {
            gzip.append(UInt8(truncatingIfNeeded: bits))
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

    /// Computes the CRC-32 in as many steps as the count has bits: a space always changes the checksum in the same way.
    private static func checksum(ofSpaces count: Int) -> UInt32 {
        var step = BitMap { (0..<8).reduce($0 ^ 0x20) { word, _ in (word >> 1) ^ (word & 1 == 1 ? 0xEDB8_8320 : 0) } }
        var word = UInt32.max
        var rest = count
        while rest > 0 {
            if rest & 1 == 1 { word = step(word) }
            step = BitMap { step(step($0)) }
            rest >>= 1
        }
        return ~word
    }
}

/// An affine function on words, like that of a checksum: its values for zero and for each single bit determine it.
private struct BitMap {
    private let constant: UInt32
    private let columns: [UInt32]

    init(_ function: (UInt32) -> UInt32) {
        let constant = function(0)
        self.constant = constant
        columns = (0..<32).map { function(1 << $0) ^ constant }
    }

    func callAsFunction(_ word: UInt32) -> UInt32 {
        columns.indices.reduce(constant) { word >> $1 & 1 == 1 ? $0 ^ columns[$1] : $0 }
    }
}
