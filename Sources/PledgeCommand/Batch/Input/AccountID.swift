import PledgeCoding

/// The identity of an account: the service, and the caller's name for it.
struct AccountID: Hashable, Sendable {
    typealias Service = Access.Service

    var service: Service
    var account: String

    /// The account in a sentence.
    var words: String { "\(service.rawValue) account “\(account.onOneLine)”" }

    /// The dividend of `--shard`, the same on every machine: 64-bit FNV-1a, folded, as its low bits are not uniform.
    var shardHash: UInt64 {
        let name = "\(service.rawValue)\0\(account)"
        let hash = name.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return hash ^ (hash >> 32)
    }

    /// The key of a finished account: 16 bytes for any name. Two of a million accounts collide with probability 10⁻²⁶.
    var key: HashKey { HashKey(service.rawValue, account) }
}

extension AccountID.Service {
    /// Returns the title of the service with this raw value.
    static func title(of name: String) -> String { Self(rawValue: name)?.title ?? name }
}
