import ExistKit
import Foundation
import PledgeTestSupport
import Testing

@Suite("Writing many items", .serialized)
struct WriteTests {
    private let exist: SandboxCase
    init() throws { exist = try SandboxCase() }

    @Test("An empty write and an empty list of names send no request")
    func empty() async throws {
        // Lets a write that would send requests forever fail instead, so that the test notices it.
        exist.sandbox.server.script.next(.max, respond: .empty(401))
        let updated = try await exist.existAPI.update(attributes: []).value.attributeResponse
        let acquired = try await exist.existAPI.acquire(names: []).value.attributeResponse
        #expect(updated.success.isEmpty && updated.failed.isEmpty && acquired.success.isEmpty)
        #expect(try await exist.existAPI.attributes(names: []).value.attributes.isEmpty && exist.targets.isEmpty)
    }

    @Test("Items are sent in order, 35 at a time; a failed item has its index and what was sent")
    func chunks() async throws {
        _ = try await exist.existAPI.acquire(names: ["mood"]).value
        exist.sandbox.server.resetRequests()
        let today = try day(SandboxCase.today)
        var updates: [any AttributeUpdate] = (0..<80).map {
            IntAttributeUpdate(name: "mood", day: today.advanced(by: -$0), value: 1 + $0 % 9)
        }
        updates[2] = IntAttributeUpdate(name: "steps", day: today, value: 1)
        updates[37] = StringAttributeUpdate(name: "mood", day: today.advanced(by: -37), value: "fine")
        let response = try await exist.existAPI.update(attributes: updates).value.attributeResponse
        #expect(exist.sandbox.server.requests.map { $0.json?.array?.count } == [35, 35, 10])
        #expect(response.failed.map(\.index) == [2, 37])
        #expect(response.failed.map(\.sent?.value) == [.integer(1), .text("fine")])
        let others = updates.indices.filter { $0 != 2 && $0 != 37 }
        #expect(
            response.success.map(\.index) == others && response.success.map(\.day) == others.map { updates[$0].day })
    }

    @Test("If a request fails as a whole, the error lists the processed, unknown, and unsent items")
    func interrupted() async throws {
        _ = try await exist.existAPI.acquire(names: ["mood"]).value
        let today = try day(SandboxCase.today)
        let updates = (0..<80).map { IntAttributeUpdate(name: "mood", day: today.advanced(by: -$0), value: 5) }
        let turn = Counter()
        exist.sandbox.server.script.next(.max, matching: "POST /api/2/attributes/update/") { _ in
            turn.next() == 2 ? .empty(503) : nil
        }
        let error = await thrown(ExistError.self) { try await exist.existAPI.update(attributes: updates).value }
        #expect(error?.kind == .serviceFault)
        #expect(error?.write?.answered == IndexSet(0..<35))
        #expect(error?.write?.unknown == IndexSet(35..<70))
        #expect(error?.write?.unsent == IndexSet(70..<80))
        #expect((error?.write?.result as? AttributeUpdateResponse)?.success.count == 35)
    }

    @Test("A write that failed with a 503 is sent again only if sending it twice has the same effect")
    func repeated() async throws {
        let exist = try SandboxCase(
            retry: ExistAPI.defaultOptions.retry, clock: InstantTimekeeper(start: SandboxCase.noon).timekeeper)
        defer { exist.sandbox.stop() }
        let (api, server, more) = (exist.existAPI, exist.sandbox.server, [AttributeIncrement(name: "mood", by: 1)])
        let values = [IntAttributeUpdate(name: "mood", day: try day("2024-03-01"), value: 5)]
        let calls: [(attempts: Int, call: () -> Promise<Void>)] = [
            (2, { api.acquire(names: ["mood"]).asVoid() }), (1, { api.release(names: ["mood"]).asVoid() }),
            (1, { api.create([.tag("Rain")]).asVoid() }), (2, { api.update(attributes: values).asVoid() }),
            (2, { api.updateAcquiringIfNeeded(attributes: values).asVoid() }),
            (1, { api.increment(attributes: more).asVoid() }),
            (1, { api.incrementAcquiringIfNeeded(attributes: more).asVoid() }),
        ]
        for (index, (attempts, call)) in calls.enumerated() {
            server.resetRequests()
            server.script.next(respond: .empty(503))
            _ = await call().settled().value
            #expect(server.requests.count == attempts, "\(index)")
        }
    }

    @Test(
        "Results of two items with the same name are matched by day, or by value if the days are equal",
        arguments: [("2024-03-01", #""many""#), ("2024-03-02", "42")])
    func twins(second: String, value: String) async throws {
        exist.answer(
            "POST /api/2/attributes/update/", status: 202,
            """
            {"success": [{"name": "steps", "date": "\(second)", "value": 42.0}],
             "failed": [{"name": "steps", "date": "2024-03-01", "value": \(value), "error_code": "validation"}]}
            """)
        let (first, other) = (try day("2024-03-01"), try day(second))

        let response = try await exist.existAPI.update(attributes: [
            first == other
                ? StringAttributeUpdate(name: "steps", day: first, value: "many")
                : IntAttributeUpdate(name: "steps", day: first, value: 42),
            IntAttributeUpdate(name: "steps", day: other, value: 42),
        ]).value.attributeResponse

        #expect(response.success.map(\.index) == [1] && response.failed.map(\.index) == [0])
    }

    /// Responses to a write of `mood` and `steps`: the indices of the items that count as successful, failed, or
    /// unconfirmed, and the number of entries that belong to no item.
    private static let responses: [(String, success: [Int?], failed: [Int?], unconfirmed: [Int], others: Int)] = [
        (#"{"success": [], "failed": []}"#, [], [], [0, 1], 0), (#"{"success": [{"name": "mood"}]}"#, [0], [], [1], 0),
        (#"{"success": [{"name": "mood"}, {"name": "mood"}], "failed": []}"#, [0], [], [1], 1),
        (#"{"success": [{"name": "sleep"}, {"name": "steps"}], "failed": []}"#, [1], [], [0], 1),
        (#"{"success": [{"name": "mood"}, {}], "failed": []}"#, [0], [], [1], 1),
        (#"{"success": [{"name": "mood"}], "failed": [{"name": "mood"}]}"#, [], [0], [1], 1),
        (#"{"success": [{"name": "mood"}], "failed": [{"name": "steps"}, {"name": "steps"}]}"#, [0], [1], [], 1),
        (#"{"success": [{"name": "mood"}], "failed": [{"error": "No."}]}"#, [0], [1], [], 0),
        (#"{"success": [], "failed": [{"error": "No."}]}"#, [], [nil], [0, 1], 0),
    ]

    @Test("Every sent item counts as successful, failed, or unconfirmed, even if the response is contradictory")
    func accounted() async throws {
        let day = try day("2024-03-01")
        for row in Self.responses {
            exist.answer("POST /api/2/attributes/update/", status: 202, row.0)

            let response = try await exist.existAPI.update(attributes: [
                IntAttributeUpdate(name: "mood", day: day, value: 5),
                IntAttributeUpdate(name: "steps", day: day, value: 42),
            ]).value.attributeResponse

            #expect(
                response.success.map(\.index) == row.success && response.failed.map(\.index) == row.failed, "\(row.0)")
            #expect(response.unconfirmed.map(\.index) == row.unconfirmed, "\(row.0)")
            #expect(response.unreadable.count == row.others, "\(row.0)")
            #expect(response.unconfirmed.allSatisfy { $0.description.contains(" 2024-03-01 is unconfirmed: ") })
            #expect(response.success.allSatisfy { $0.day == day && $0.value != nil })
        }
        #expect(exist.unreadable.all == ["attributes/update/ item 1: name is missing"])
        for path in ["create", "acquire"] {
            exist.answer("POST /api/2/attributes/\(path)/", status: 202, #"{"failed": [{"error": "No."}]}"#)
        }
        let created = try await exist.existAPI.create([.tag("Rain")]).value.attributeResponse.failed
        let acquired = try await exist.existAPI.acquire(templates: ["tea"]).value.attributeResponse.failed
        #expect(created.map(\.label) == ["Rain"] && acquired.map(\.name) == ["tea"])
        #expect(acquired.map(\.template) == ["tea"])
    }

    @Test("An entry of a response that belongs to no sent item is reported with its position in its own list")
    func entriesWithoutItem() async throws {
        exist.answer(
            "POST /api/2/attributes/update/", status: 202,
            """
            {"success": [{}, {"name": "mood"}, {"name": "sleep"}],
             "failed": [{"name": "steps"}, {"name": "tea"}, {"name": "steps"}]}
            """)
        let day = try day("2024-03-01")
        let response = try await exist.existAPI.update(
            attributes: ["mood", "steps"].map { IntAttributeUpdate(name: $0, day: day, value: 5) }
        ).value.attributeResponse
        #expect(
            response.unreadable.map(\.description) == [
                "item 0: name is missing",
                "item 2: this item of “success” was not sent, or is in the response twice",
                "item 2: this item of “failed” is in the response twice",
            ])
        #expect(response.success.map(\.name) == ["mood"] && response.failed.map(\.name) == ["steps", "tea"])
    }

    @Test(
        "An item that was sent again after its attribute was acquired is unconfirmed if the response doesn't mention the item"
    )
    func unconfirmedAgain() async throws {
        let day = try day("2024-03-01")
        for response in [
            #"""
            {"failed": [{"name": "sleep"}, {"name": "tea"}, {"name": "mood", "error_code": "unauthorised"},
            {"name": "guitar", "error_code": "unauthorised"}]}
            """#, #"{"failed": [{"name": "guitar"}]}"#,
        ] {
            exist.answer("POST /api/2/attributes/update/", status: 202, response)
        }

        let response = try await exist.existAPI.updateAcquiringIfNeeded(
            attributes: ["mood", "guitar"].map { IntAttributeUpdate(name: $0, day: day, value: 5) }
        ).value.attributeResponse

        #expect(
            response.failed.map(\.name) == ["guitar", "sleep", "tea"] && response.failed.map(\.index) == [1, nil, nil])
        #expect(response.success.isEmpty && response.unconfirmed.map(\.index) == [0])
    }

    @Test(
        "A 4xx response with failed items is a result; a 4xx response without items is an error",
        arguments: [400, 499, 500])
    func allFailed(status: Int) async throws {
        exist.answer("POST ", status: status, #"{"failed": [{"name": "weight", "error_code": "unauthorised"}]}"#)
        exist.answer("POST ", status: status, #"{"error": "Expected a list of objects", "error_code": "invalid"}"#)
        let response = try? await exist.existAPI.release(names: ["weight"]).value.attributeResponse
        let error = await thrown(ExistError.self) { try await exist.existAPI.release(names: ["weight"]).value }
        #expect(response?.success.isEmpty == (status < 500 ? true : nil))
        #expect(response?.failed.map(\.name) == (status < 500 ? ["weight"] : nil))
        #expect(error?.kind == (status < 500 ? .rejected : .serviceFault))
    }
}
