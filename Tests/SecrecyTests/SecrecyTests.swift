import Foundation
import Testing

@Suite("Whatever holds a secret", .serialized)
struct SecrecyTests {
    static let holders = Holder.http + Holder.exist + Holder.myDataHelps

    @Test("Neither print, nor dump, nor a debugger's text, nor a mirror shows it", arguments: holders)
    func printing(holder: Holder) async throws {
        let (value, secrets) = try await holder.make()

        let text = printed(value)

        for secret in secrets {
            #expect(!secret.isEmpty)
            let line = text.split(separator: "\n").first { $0.contains(secret) }
            #expect(line == nil)
        }
    }

    @Test("The way they are printed here would show one")
    func canary() {
        struct Careless {
            var token = Holder.secret
        }
        final class Kept {
            let inside: [Careless?] = [Careless()]
        }

        #expect(printed(Careless()).contains(Holder.secret) && printed(Kept()).contains(Holder.secret))
    }

    /// Types without a place for one. Models of what a service sends are data: an app shows them to whose they are.
    private static let plain: Set<String> = [
        "APIRateLimit", "Action", "AllPages", "AsyncIterator", "BatchErrorCode", "BatchProgress", "BatchResult",
        "CredentialError", "CurlTransport",
        "EmbeddableSurveyCompletionReason", "EmbeddableSurveyViewController", "ExistDay", "ExistPage", "ExistPages",
        "ExistScope", "FollowPace",
        "ExistQuery", "HTTPMethod", "Hold", "Iterator", "Kind", "RateGovernor", "RateLimit", "RetryRule",
        "StandardTransport", "State",
        "SurveyFlow", "SurveyMessage", "SurveyOutcome", "SurveyViewController", "TokenKind", "TransportError",
        "SentItem", "URLSessionTransport", "Unavailable", "UnreadableReply", "User", "Weekday",
        "FailedAttribute",
    ]
    /// Folders that hold nothing but models and calls of a resource.
    private static let models = ["Attributes/", "Averages/", "Correlations/", "Insights/", "Models/", "Values/"]
    /// Shown with others: in the table under another name, or, a proxy's password, in the transports' own tests.
    private static let elsewhere: Set<String> = ["SurveyContent", "SurveyPresentation", "Step", "ProxyRule"]

    @Test("Every public type is in the table, or has no place for one")
    func complete() throws {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../Sources")
        let known = Self.plain.union(Self.elsewhere).union(Self.holders.map(\.testDescription))
        var found = 0
        for module in ["PledgeHTTP", "ExistKit", "MyDataHelpsKit"] {
            let folder = sources.appendingPathComponent(module)
            for case let path as String in try #require(FileManager.default.enumerator(atPath: folder.path))
            where path.hasSuffix(".swift") && !Self.models.contains(where: path.hasPrefix) {
                let text = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
                for line in text.split(separator: "\n") {
                    var words = line.split(separator: " ")[...]
                    guard words.popFirst() == "public" else { continue }
                    while let word = words.first, ["final", "indirect"].contains(word) { words = words.dropFirst() }
                    guard let kind = words.popFirst(), ["struct", "class", "enum", "actor"].contains(kind) else {
                        continue
                    }
                    let name = words.first?.prefix { $0.isLetter || $0.isNumber } ?? ""
                    found += 1
                    #expect(
                        known.contains(String(name)),
                        "Can \(name) of \(path) hold a secret? Then add it to the holders.")
                }
            }
        }
        #expect(found > 50)
    }
}
