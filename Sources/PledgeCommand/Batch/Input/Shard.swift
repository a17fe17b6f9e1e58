/// A part of the accounts, the same on every machine: `2/8` is the third of eight.
struct Shard: Sendable {
    var index: Int
    var count: Int

    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let index = parts[0], let count = parts[1], index >= 0, index < count else {
            return nil
        }
        self.index = index
        self.count = count
    }

    func contains(_ id: AccountID) -> Bool {
        id.shardHash % UInt64(count) == UInt64(index)
    }
}
