import ExistKit
import Foundation
import PledgeSandbox
import Testing

@Suite("Every parameter of every endpoint reaches the service", .serialized)
struct EveryParameterTests {
    private func check(_ row: SentCall) async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        _ = await row.call(exist.existAPI).settled().value
        let request = try #require(exist.sandbox.server.requests.first)
        let body = String(decoding: request.body, as: UTF8.self)
        #expect("\(request.method) \(request.target)" + (body.isEmpty ? "" : " \(body)") == row.sent)
        #expect(request.headers["Content-Type"] == (body.isEmpty ? nil : "application/json"))
        #expect(request.headers["Accept"] == "application/json")
        #expect(request.headers["Authorization"] == "Bearer \(exist.sandbox.token)")
    }

    @Test("Lists of attributes and templates", arguments: SentCall.attributeLists)
    func readsAttributes(row: SentCall) async throws { try await check(row) }

    @Test("Values", arguments: SentCall.values)
    func readsValues(row: SentCall) async throws { try await check(row) }

    @Test("The profile, insights, averages and correlations", arguments: SentCall.findings)
    func readsFindings(row: SentCall) async throws { try await check(row) }

    @Test("Writes", arguments: SentCall.writes)
    func writesItems(row: SentCall) async throws { try await check(row) }
}
