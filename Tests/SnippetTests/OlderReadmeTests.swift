import ExistKit
import Foundation
import PledgeSandbox
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The chains that users of the older Exist client have in their code, as they stand there.
@Suite("Chains written for the older client")
struct OlderReadmeTests {
    private struct NotAcquired: Error {}

    @Test("They compile as statements, with no warning except that a limit is a number of days, and succeed")
    @available(*, deprecated)
    func statements() async throws {
        let sandbox = try ExistSandbox.start()
        defer { sandbox.stop() }
        let existAPI = ExistAPI(token: sandbox.token, baseURL: sandbox.baseURL)
        let ended = (0..<3).map { _ in Promise<Void>.pending() }

        existAPI.attributes(names: ["steps", "mood"], limit: 12).done { attributes, response in
            #expect(attributes.map(\.name).sorted() == ["mood", "steps"])
            #expect((response as? HTTPURLResponse)?.statusCode == 200)
            ended[0].resolver.fulfill()
        }.catch { error in
            ended[0].resolver.reject(error)
        }

        existAPI.acquire(names: ["weight"]).then {
            attributeResponse, urlResponse -> Promise<ExistAPI.UpdateReply> in
            guard attributeResponse.success.contains(where: { $0.name == "weight" }) else {
                throw NotAcquired()
            }
            return existAPI.update(attributes: [
                FloatAttributeUpdate(name: "weight", date: Date(), value: 65.8),
                IntAttributeUpdate(name: "steps", date: Date(), value: 3158),
            ])
        }.done { attributeResponse, urlResponse in
            #expect(attributeResponse.success.map(\.name) == ["weight"])
            #expect(attributeResponse.failed.map(\.name) == ["steps"])
            ended[1].resolver.fulfill()
        }.catch {
            ended[1].resolver.reject($0)
        }

        when(
            fulfilled: existAPI.insights(days: 30), existAPI.averages(limit: 30), existAPI.correlations()
        ).done { insights, averages, correlations in
            #expect(!insights.insights.results.isEmpty)
            #expect(averages.averages.count == 30)
            #expect(!correlations.correlations.isEmpty)
            ended[2].resolver.fulfill()
        }.catch { error in
            ended[2].resolver.reject(error)
        }

        try await when(fulfilled: ended.map(\.promise)).asVoid().value
    }
}
