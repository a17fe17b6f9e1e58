import ExistKit
import Foundation
import Testing

@Suite("Correlations", .serialized)
struct CorrelationTests {
    private let exist: SandboxCase
    init() throws { exist = try SandboxCase() }

    @Test("The correlation of two attributes is returned, or nil if there is none; any other 404 is an error")
    func noneOrLost() async throws {
        let strongest = try #require(try await exist.existAPI.correlations().value.correlations.first)

        let found = try await exist.existAPI.correlation(between: strongest.attribute2, and: strongest.attribute).value
        let none = try await exist.existAPI.correlation(between: "weather_summary", and: "mood_note").value
        exist.sandbox.server.script.next(respond: .text("<html>Not here</html>", status: 404))
        let lost = await exist.existAPI.correlation(between: "a", and: "b").settled().value

        #expect(found.correlation?.value == strongest.value)
        #expect(none.correlation == nil)
        #expect(throws: ExistError.self) { try lost.get() }
    }

    @Test(
        "A pair without a correlation is nil, whatever white space precedes the response's JSON",
        arguments: [#"{"error": "No such pair"}"#, " \r\n\t{\"error\": \"No such pair\"}"])
    func noneAfterSpace(body: String) async throws {
        exist.sandbox.server.script.next(respond: .text(body, status: 404))

        #expect(try await exist.existAPI.correlation(between: "a", and: "b").value.correlation == nil)
    }
}
