import Foundation
import Testing

@Suite("Types that contain a secret", .serialized)
struct SecrecyTests {
    static let holders = Holder.http + Holder.exist + Holder.myDataHelps

    @Test("No secret is shown by print, dump, a debugger, or a mirror", arguments: holders)
    func printing(holder: Holder) async throws {
        let (value, secrets) = try await holder.make()

        let text = printed(value)

        for secret in secrets {
            #expect(!secret.isEmpty)
            let line = text.split(separator: "\n").first { $0.contains(secret) }
            #expect(line == nil)
        }
    }

    @Test("The output that these tests examine would show an unprotected secret")
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
        "APIRateLimit", "AsyncIterator", "AttributeClaim", "AttributeError", "AttributeIncrement",
        "BatchErrorCode",
        "BatchProgress", "CredentialError", "CurlTransport", "DeviceDataContext", "DeviceDataPointPersistModel",
        "EmbeddableSurveyCompletionReason",
        "EmbeddableSurveyViewController", "ExistQuery", "ExistScope", "FollowPace", "HTTPMethod", "Hold", "Iterator",
        "JSONCoding",
        "Kind", "MeasurementAttributeUpdate", "NewAttribute", "NotificationContent", "NotificationType",
        "Budget", "BudgetExceeded", "OtherNotification", "PageContent", "PageSequence", "PagesInACircle", "Project",
        "RateLimit",
        "RateLimiter", "RetryRule", "ScopedIdentifier", "SentItem", "SortOrder", "StandardTransport", "Survey",
        "SurveyOutcome", "SurveyResult", "SurveyViewController", "TimeOfDay", "TimeOfDayAttributeUpdate", "TokenKind",
        "TransportError", "URLSessionTransport", "Unavailable", "UnitMismatch", "UnreadableReply", "ValueType",
        "ValueTypeMismatch", "ValueUpdate", "Weekday",
    ]
    /// Shown with others: in the table under another name, or, a proxy's password, in the transports' own tests.
    private static let elsewhere: Set<String> = ["SurveyContent", "SurveyPresentation", "Step", "ProxyRule"]

    @Test("Every public type is either in the table or cannot contain a secret")
    func complete() throws {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../Sources")
        let known = Self.plain.union(Self.elsewhere).union(Self.holders.map(\.testDescription))
        var found = 0
        for module in ["PledgeHTTP", "ExistKit", "MyDataHelpsKit"] {
            let folder = sources.appendingPathComponent(module)
            for case let path as String in try #require(FileManager.default.enumerator(atPath: folder.path))
            where path.hasSuffix(".swift") {
                let text = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
                // What is read from a reply is a model, with its pages, the questions for them, and the service's words.
                let models =
                    text.matches(of: /extension (?:\w+\.)?(\w+): (?:Decodable, )?Readable/).map(\.1)
                    + text.matches(of: /struct (\w+): (?:ResultPage|PagedQuery|PagedByID|ServiceWord)\b/).map(\.1)
                for line in text.split(separator: "\n") {
                    var words = line.split(separator: " ")[...]
                    guard words.popFirst() == "public" else { continue }
                    while let word = words.first, ["final", "indirect"].contains(word) { words = words.dropFirst() }
                    guard let kind = words.popFirst(), ["struct", "class", "enum", "actor"].contains(kind) else {
                        continue
                    }
                    let name = words.first?.prefix { $0.isLetter || $0.isNumber } ?? ""
                    guard !models.contains(name) else { continue }
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
