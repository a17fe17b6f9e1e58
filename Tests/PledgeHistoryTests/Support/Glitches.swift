import Foundation
import Pledge
import PledgeTestSupport

extension Alteration {
    /// A service that sometimes returns less data than it has. On average, one in `rate` responses lacks data, but all
    /// responses are well-formed.
    static func glitches(seed: UInt64, oneIn rate: Int) -> Alteration {
        let generator = Locked(SeededGenerator(seed: seed))
        @Sendable func roll(_ sides: Int) -> Int { generator.withLock { Int.random(in: 0..<sides, using: &$0) } }
        return Alteration { _, page in
            guard roll(rate) == 0, let list = page.first(where: { $0.value is [Any] })?.key,
                let items = page[list] as? [Any]
            else { return page }
            var page = page
            switch roll(3) {
            case 0: page[list] = [Any]()
            case 1: page[list] = Array(items.prefix(items.count / 2))
            // Keeps only half of an item's values, as in a window with missing days. If items have no values, only the
            // link to older items is missing.
            default:
                page[list] = items.map { item -> Any in
                    guard var item = item as? [String: Any], let values = item["values"] as? [Any] else { return item }
                    item["values"] = Array(values.suffix(values.count / 2))
                    return item
                }
            }
            for link in ["next", "nextPageID"] where page[link] != nil { page[link] = NSNull() }
            return page
        }
    }
}
