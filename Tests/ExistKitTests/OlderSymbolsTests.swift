import Foundation
import PledgeTestSupport
import Testing

@Suite("The public symbols of the older client")
struct OlderSymbolsTests {
    @Test(
        "All of the older client's symbols exist except those listed as removed, and the article counts them correctly")
    func fates() throws {
        let ours = try Dictionary(grouping: Repository.symbols("ExistKit"), by: \.path)
            .mapValues { $0.map(\.declaration) }
        var counts: [String: Int] = [:]
        let older = try Repository.text("Tests/RepositoryTests/PublicSymbols/existapi-0.0.16.tsv")
        for row in older.split(separator: "\n").dropFirst() {
            let (symbol, fate) = (row.split(separator: "\t")[0], String(row.split(separator: "\t")[2]))
            counts[fate, default: 0] += 1
            let parts = symbol.split(separator: ".", maxSplits: 1).map(String.init)
            // An alias has the members of its type. A type of updates also has the members of `AttributeUpdate`.
            let alias = ours[parts[0]]?.first { $0.hasPrefix("typealias") }?.split(separator: " = ").last
            let type = alias.map { String($0.prefix { $0 != "<" }) } ?? parts[0]
            let homes = [type] + (type == "ValueUpdate" ? ["AttributeUpdate"] : [])
            let isThere =
                parts.count == 1
                ? ours[parts[0]] != nil
                : homes.contains { home in
                    let conforms = ours[home]?.filter { $0.hasPrefix("is ") } ?? []
                    return ours["\(home).\(parts[1])"] != nil
                        || (parts[1] == "init(from:)" && conforms.contains("is Decodable"))
                        || (parts[1] == "encode(to:)" && conforms.contains("is Encodable"))
                }
            #expect(isThere == (fate != "gone"), "\(symbol)")
        }

        let article = try Repository.text("Sources/ExistKit/ExistKit.docc/ComingFromTheOlderClient.md")
        let table = article.split(separator: "\n").filter { $0.hasPrefix("| ") }.compactMap {
            $0.split(separator: "|").first.flatMap { Int($0.filter(\.isNumber)) }
        }
        #expect(table.sorted() == counts.values.sorted() && table.reduce(0, +) == 177)
    }
}
