import ExistKit
import Foundation
import PledgeHTTP
import PledgeTestSupport
import Testing

@Suite("Exist's client")
struct ExistAPITests {
    @Test("sends an endpoint of one's own with its token and its errors")
    func ownEndpoint() async throws {
        let (right, wrong) = (try SandboxCase(), try SandboxCase(token: "not-a-token"))
        defer { [right, wrong].forEach { $0.sandbox.stop() } }
        let endpoint = Endpoint<[String: JSONValue]>(.get, "accounts/profile/")

        let answer = try await right.existAPI.send(endpoint).value
        let refusal = await thrown(ExistError.self) { try await wrong.existAPI.send(endpoint).value }

        #expect(answer.value["username"] != nil && answer.reply.status == 200)
        #expect(refusal?.kind == .unauthorized)
    }
}
