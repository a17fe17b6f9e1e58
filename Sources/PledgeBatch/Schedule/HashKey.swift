/// A 16-byte hash of an account, a token, or an item of a list, the same on every machine.
package struct HashKey: Hashable, Sendable {
    package var high: UInt64
    package var low: UInt64
}

extension HashKey {
    package init(_ bytes: some Sequence<UInt8>) {
        (high, low) = (0x6C62_272E_07BB_0142, 0x62B8_2175_6295_C58D)
        for byte in bytes {
            low ^= UInt64(byte)
            // Times 2⁸⁸ + 0x13B, without what overflows.
            let product = low.multipliedFullWidth(by: 0x13B)
            high = high &* 0x13B &+ product.high &+ (low << 24)
            low = product.low
        }
    }
}
