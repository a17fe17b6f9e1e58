import PledgeBatch

/// The identity of an account: the service, and the caller's name for it.
struct AccountID: Hashable, Sendable {
    typealias Service = Access.Service

    var service: Service
    var account: String

    /// The dividend of `--shard`, the same on every machine: FNV-1a of 64 bits, folded, because its low bits alone are not uniform.
    var shardHash: UInt64 {
        let name = "\(service.rawValue)\0\(account)"
        let hash = name.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return hash ^ (hash >> 32)
    }

    /// The key of a finished account: 16 bytes, however long the name is. The probability that two of a million
    /// accounts share one is 1 in 10²⁶.
    var key: HashKey { HashKey(service.rawValue, account) }
}

extension AccountID.Service {
    /// Returns the title of a service of a batch, whose name is the raw value.
    static func title(of name: String) -> String { Self(rawValue: name)?.title ?? name }
}
