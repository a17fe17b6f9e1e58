import Foundation
import Testing

@Suite("The Security article")
struct SecurityArticleTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
        "../..")

    @Test("Every guarantee names an existing test")
    func tests() throws {
        let article = try String(
            contentsOf: Self.root.appendingPathComponent("Sources/PledgeHTTP/PledgeHTTP.docc/Security.md"),
            encoding: .utf8)
        let tests = Self.root.appendingPathComponent("Tests")
        var source = ""
        for case let path as String in try #require(FileManager.default.enumerator(atPath: tests.path))
        where path.hasSuffix("Tests.swift") && !path.contains(".build") {
            source += try String(contentsOf: tests.appendingPathComponent(path), encoding: .utf8)
        }
        let promises = article.components(separatedBy: "\n- ").dropFirst()
            .map { $0.components(separatedBy: "\n\n")[0] }.filter { !$0.hasPrefix("It is no service") }

        #expect(promises.count > 25)
        for promise in promises {
            let name = promise.components(separatedBy: "(test: “").dropFirst().first?.components(separatedBy: "”)")[0]
            #expect(
                source.contains("\"\(try #require(name, "\(promise) names no test"))\""), "no such test: \(name ?? "")")
        }
    }
}
