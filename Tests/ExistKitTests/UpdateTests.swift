import ExistKit
import Foundation
import PledgeTestSupport
import Testing

@Suite("Storing values", .serialized)
struct UpdateTests {
    private let exist: SandboxCase
    init() throws { exist = try SandboxCase() }

    @Test("Items that the service refuses are returned with a reason, beside those that it stored")
    func partialFailure() async throws {
        _ = try await exist.existAPI.acquire(names: ["mood"]).value
        let (written, response) = try await exist.existAPI.update(attributes: [
            IntAttributeUpdate(name: "mood", day: try day("2024-03-01"), value: 5),
            IntAttributeUpdate(name: "steps", day: try day("2024-03-01"), value: 3158),
            FloatAttributeUpdate(name: "mood", day: try day("2024-03-01"), value: 5.5),
        ]).value
        #expect(written.success.map(\.name) == ["mood"])
        #expect(written.failed.map(\.name) == ["steps", "mood"])
        #expect(written.failed.map(\.errorCode) == [.unauthorised, .validation])
        #expect(written.failed.first?.error.contains("does not belong to this service") == true)
        #expect(written.failed.first?.value?.int == 3158)
        let words = "steps 2024-03-01 failed (unauthorised): Attribute 'steps' does not belong to this service."
        let advice = "Acquire the attribute first, or write with updateAcquiringIfNeeded."
        #expect(written.failed.first?.description == "\(words) \(advice)")
        #expect(written.failed.last?.description.hasSuffix(advice) == false)
        let released = FailedAttribute(name: "steps", errorCode: .unauthorised, error: "It is not yours")
        #expect(released.description == "steps failed (unauthorised): It is not yours.")
        #expect((response as? HTTPURLResponse)?.statusCode == 202)
    }

    @Test("A failed item's reason is shown shortened and on one line, or as “…” if it contains the token")
    func reasons() async throws {
        let update = IntAttributeUpdate(name: "mood", day: try day("2024-03-01"), value: 5)
        for (reason, shown) in [
            ("No: \(exist.sandbox.token)", "…"), ("a\nb " + String(repeating: "x", count: 1_000), "a b xxx"),
        ] {
            exist.sandbox.server.script.next(
                respond: .json(["failed": [["name": "mood", "error": .string(reason), "error_code": "x"]]]))
            let failed = try await exist.existAPI.update(attributes: [update]).value.attributeResponse.failed
            let error = try #require(failed.first?.error)
            #expect(error.hasPrefix(shown) && error.count < 210)
        }
    }

    @Test("A failed item's reason is shown as “…” if it contains a secret header of the request")
    func headers() async throws {
        var options = ExistAPI.defaultOptions
        options.headers["X-Api-Key"] = "gateway-8d21f0"
        let update = IntAttributeUpdate(name: "mood", day: try day("2024-03-01"), value: 5)
        exist.sandbox.server.script.next(
            respond: .json([
                "failed": [["name": "mood", "error": "gateway-8d21f0 was refused", "error_code": "x"]]
            ]))
        let existAPI = ExistAPI(token: exist.sandbox.token, baseURL: exist.sandbox.baseURL, options: options)
        let failed = try await existAPI.update(attributes: [update]).value.attributeResponse.failed
        #expect(failed.map(\.error) == ["…"])
    }

    @Test(
        "Updating attributes that the client doesn't own acquires them once; results are in the order of the call"
    )
    func acquiringIfNeeded() async throws {
        let today = try day(SandboxCase.today)
        _ = try await exist.existAPI.acquire(names: ["mood"]).value
        exist.sandbox.server.resetRequests()
        let response = try await exist.existAPI.updateAcquiringIfNeeded(attributes: [
            IntAttributeUpdate(name: "mood", day: today, value: 5),
            IntAttributeUpdate(name: "steps", day: today, value: 3158),
            IntAttributeUpdate(name: "no_such_attribute", day: today, value: 1),
            FloatAttributeUpdate(name: "weight", day: today, value: 65.8),
        ]).value.attributeResponse
        #expect(
            response.success.map(\.name) == ["mood", "steps", "weight"] && response.success.map(\.index) == [0, 1, 3])
        #expect(response.failed.map(\.name) == ["no_such_attribute"])
        #expect(response.failed.map(\.index) == [2])
        #expect(exist.sandbox.server.requests.filter { $0.path.hasSuffix("/acquire/") }.count == 1)
    }

    @Test(
        "If attributes were acquired but updating them fails, the error lists which items are stored and which are unknown"
    )
    func interruptedWhileAcquiring() async throws {
        let today = try day(SandboxCase.today)
        _ = try await exist.existAPI.acquire(names: ["mood"]).value
        // The client doesn't own the attribute of every second update. These 40 of 80 updates are sent again, in
        // requests with 35 and 5 items.
        let updates = (0..<80).map { place in
            IntAttributeUpdate(name: place % 2 == 0 ? "mood" : "steps", day: today.advanced(by: -place), value: 5)
        }
        let turn = Counter()
        exist.sandbox.server.script.next(.max, matching: "POST /api/2/attributes/update/") { _ in
            turn.next() == 5 ? .empty(503) : nil
        }
        let error = await thrown(ExistError.self) {
            try await exist.existAPI.updateAcquiringIfNeeded(attributes: updates).value
        }
        let write = try #require(error?.write)
        let result = try #require(write.result as? AttributeUpdateResponse)
        #expect(error?.kind == .serviceFault)
        #expect(write.unknown == IndexSet([71, 73, 75, 77, 79]) && write.unsent.isEmpty)
        #expect(write.answered == IndexSet(0..<80).subtracting(write.unknown))
        #expect(result.success.compactMap(\.index) == Array(write.answered) && result.failed.isEmpty)
    }

    @Test("Incrementing an attribute that the client does not own acquires it and increments it once")
    func incrementAcquiring() async throws {
        let today = try day(SandboxCase.today)
        _ = try await exist.existAPI.acquire(names: ["water"]).value
        exist.sandbox.server.resetRequests()
        let response = try await exist.existAPI.incrementAcquiringIfNeeded(attributes: [
            AttributeIncrement(name: "steps", by: 10, day: today),
            AttributeIncrement(name: "water", by: 250, day: today),
            AttributeIncrement(name: "coffees", by: 1, day: today),
        ]) { $0 != "coffees" }.value.attributeResponse
        #expect(response.success.map(\.index) == [0, 1] && response.success.map(\.name) == ["steps", "water"])
        #expect(response.failed.map(\.index) == [2] && response.failed.map(\.errorCode) == [.unauthorised])
        let sent = exist.sandbox.server.requests.filter { $0.path.hasSuffix("/increment/") }
        #expect(sent.map { $0.json?.array?.count } == [3, 1])
        #expect(exist.sandbox.server.requests.count { $0.path.hasSuffix("/acquire/") } == 1)
        let more = [AttributeIncrement(name: "coffees", by: 1, day: today)]
        let acquired = try await exist.existAPI.incrementAcquiringIfNeeded(attributes: more).value.attributeResponse
        #expect(acquired.failed.isEmpty)
    }

    @Test("If the request to acquire attributes fails, items that were refused before are still reported as refused")
    func acquiringFails() async throws {
        let today = try day(SandboxCase.today)
        exist.sandbox.server.script.next(matching: "POST /api/2/attributes/acquire/", respond: .empty(503))
        let error = await thrown(ExistError.self) {
            try await exist.existAPI.updateAcquiringIfNeeded(attributes: [
                IntAttributeUpdate(name: "steps", day: today, value: 5)
            ]).value
        }
        let write = try #require(error?.write)
        #expect(write.answered == IndexSet(integer: 0) && write.unknown.isEmpty && write.unsent.isEmpty)
        #expect((write.result as? AttributeUpdateResponse)?.failed.map(\.errorCode) == [.unauthorised])
    }
}
