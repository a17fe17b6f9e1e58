import PledgeTestSupport
import Testing

@Suite("Version 1 of the vendor's SDK")
struct Version1Tests {
    @Test("Version 1 could be removed from the kit, because nothing outside its folder names its types")
    func deletable() throws {
        let files = try Repository.paths(below: "Sources/MyDataHelpsKit", ending: ".swift").map { path in
            let lines = try Repository.text("Sources/MyDataHelpsKit/\(path)").split(separator: "\n")
            // Removes the comments.
            let code = lines.compactMap { $0.split(separator: "//", omittingEmptySubsequences: false).first }
            return (path: path, code: code.joined(separator: "\n"))
        }
        let older = files.filter { $0.path.hasPrefix("Version1/") }
        let types = older.flatMap {
            $0.code.matches(of: #/(?:struct|class|enum|protocol|typealias) (\w+)/#).map { String($0.1) }
        }
        #expect(types.contains("EmbeddableSurvey"))
        for (path, code) in files where !path.hasPrefix("Version1/") {
            let words = Set(code.matches(of: #/\w+/#).map { String($0.0) })
            #expect(types.filter(words.contains) == [], "\(path)")
        }
    }
}
