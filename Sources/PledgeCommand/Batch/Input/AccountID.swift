/// The identity of an account: the service, and the caller's name for it.
struct AccountID: Hashable, Sendable {
    typealias Service = Access.Service

    var service: Service
    var account: String

    /// A hash that is the same on every machine and in every run, unlike `hashValue`.
    private var bytes: some Sequence<UInt8> {
        [Array(service.rawValue.utf8), [0], Array(account.utf8)].joined()
    }

    /// The dividend of `--shard`: FNV-1a of 64 bits, folded, because its low bits alone are not uniform.
    var shardHash: UInt64 {
        let hash = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return hash ^ (hash >> 32)
    }

    /// The key of a finished account: FNV-1a of 128 bits, 16 bytes however long the name is. The probability that
    /// two of a million accounts share one is 1 in 10²⁶.
    var key: AccountKey { AccountKey(bytes) }
}

/// The 16-byte key of an account or a token.
struct AccountKey: Hashable, Sendable {
    var high: UInt64
    var low: UInt64
}

extension AccountKey {
    init(_ bytes: some Sequence<UInt8>) {
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
