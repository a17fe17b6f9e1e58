import PledgeBatch

/// The identity of an account: the service, and the caller's name for it.
struct AccountID: Hashable, Sendable {
    typealias Service = Access.Service

    var service: Service
    var account: String

    private var bytes: some Sequence<UInt8> {
        [Array(service.rawValue.utf8), [0], Array(account.utf8)].joined()
    }

    /// The dividend of `--shard`, the same on every machine: FNV-1a of 64 bits, folded, because its low bits alone are not uniform.
    var shardHash: UInt64 {
        let hash = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return hash ^ (hash >> 32)
    }

    /// The key of a finished account: 16 bytes, however long the name is. The probability that two of a million
    /// accounts share one is 1 in 10²⁶.
    var key: HashKey { HashKey(bytes) }
}

extension AccountID.Service {
    /// Returns the title of a service of a batch, whose name is the raw value.
    static func title(of name: String) -> String { Self(rawValue: name)?.title ?? name }
}
