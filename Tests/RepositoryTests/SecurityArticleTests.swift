import Foundation
import PledgeTestSupport
import Testing

@Suite("The Security article")
struct SecurityArticleTests {
    @Test("Every guarantee names an existing test")
    func tests() throws {
        let article = try Repository.text("Sources/PledgeHTTP/PledgeHTTP.docc/Security.md")
        let tests = Repository.paths(below: "Tests", ending: "Tests.swift").filter { !$0.contains(".build") }
        let source = try tests.map { try Repository.text("Tests/\($0)") }.joined()
        let promises = article.components(separatedBy: "\n- ").dropFirst()
            .map { $0.components(separatedBy: "\n\n")[0] }.filter { !$0.hasPrefix("It is no service") }
        #expect(promises.count > 25)
        for promise in promises {
            // A guarantee in quotation marks is the name itself.
            let opening = promise.hasPrefix("“") ? "“" : "(test: “"
            let name = promise.components(separatedBy: opening).dropFirst().first?.components(separatedBy: "”")[0]
            #expect(
                source.contains("\"\(try #require(name, "\(promise) names no test"))\""), "no such test: \(name ?? "")")
        }
    }
}
