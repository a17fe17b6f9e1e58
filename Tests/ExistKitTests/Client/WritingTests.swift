import ExistKit
import Foundation
import Testing

@Suite("Writing to Exist", .serialized)
struct WritingTests {
    @Test("What is acquired and updated is read back")
    func readBack() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        let existAPI = exist.existAPI

        let acquired = try await existAPI.acquire(names: ["mood", "weight"]).value.attributeResponse
        let updated = try await existAPI.update(attributes: [
            IntAttributeUpdate(name: "mood", date: SandboxCase.noon, value: 8, in: exist.existAPIZone),
            FloatAttributeUpdate(name: "weight", day: try day("2024-03-01"), value: 65.8),
        ]).value.attributeResponse
        let read = try await existAPI.attributes(names: ["mood", "weight"]).value.attributes

        #expect(acquired.success.map(\.name) == ["mood", "weight"])
        #expect(acquired.success.allSatisfy { $0.active == true })
        #expect(updated.success.count == 2 && updated.failed.isEmpty)
        let mood = try #require(read.first { $0.name == "mood" }).getIntValues()
        #expect(mood.first { $0.day.description == SandboxCase.today }?.value == 8)
        let weight = try #require(read.first { $0.name == "weight" }).getFloatValues()
        #expect(weight.first { $0.day.description == "2024-03-01" }?.value == 65.8)
    }

    @Test("What the service refuses is a value with a reason, beside what it did")
    func partialFailure() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        _ = try await exist.existAPI.acquire(names: ["mood"]).value

        let (reply, response) = try await exist.existAPI.update(attributes: [
            IntAttributeUpdate(name: "mood", day: try day("2024-03-01"), value: 5),
            IntAttributeUpdate(name: "steps", day: try day("2024-03-01"), value: 3158),
            FloatAttributeUpdate(name: "mood", day: try day("2024-03-01"), value: 5.5),
        ]).value

        #expect(reply.success.map(\.name) == ["mood"])
        #expect(reply.failed.map(\.name) == ["steps", "mood"])
        #expect(reply.failed.map(\.errorCode) == [.unauthorised, .validation])
        #expect(reply.failed.first?.error.contains("does not belong to this service") == true)
        #expect(reply.failed.first?.value?.int == 3158)
        let words = "steps 2024-03-01 failed (unauthorised): Attribute 'steps' does not belong to this service."
        let advice = "Acquire it first, or write with updateAcquiringIfNeeded."
        #expect(reply.failed.first?.description == "\(words) \(advice)")
        #expect((response as? HTTPURLResponse)?.statusCode == 202)
    }

    @Test("What is released can no longer be written")
    func release() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        _ = try await exist.existAPI.acquire(names: ["mood"]).value

        let released = try await exist.existAPI.release(names: ["mood", "steps"]).value.attributeResponse
        let update = try await exist.existAPI.update(attributes: [
            IntAttributeUpdate(name: "mood", day: try day("2024-03-01"), value: 5)
        ]).value.attributeResponse

        #expect(released.success.map(\.name) == ["mood"])
        #expect(released.failed.map(\.name) == ["steps"])
        #expect(update.failed.map(\.errorCode) == [.unauthorised])
    }

    @Test("Any number of items is sent 35 at a time, in order, over which the replies are merged")
    func chunks() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        _ = try await exist.existAPI.acquire(names: ["mood"]).value
        exist.sandbox.server.resetRequests()
        let today = try day(SandboxCase.today)
        let updates = (0..<80).map { IntAttributeUpdate(name: "mood", day: today.advanced(by: -$0), value: 1 + $0 % 9) }

        let reply = try await exist.existAPI.update(attributes: updates).value.attributeResponse

        #expect(reply.success.map(\.day) == updates.map(\.day))
        let sizes = exist.sandbox.server.requests.map { request -> Int in
            guard case .array(let items)? = request.json else { return -1 }
            return items.count
        }
        #expect(sizes == [35, 35, 10])
    }

    @Test("If a request fails as a whole, the caller learns what is done, what is unknown and what was not sent")
    func interrupted() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        _ = try await exist.existAPI.acquire(names: ["mood"]).value
        let today = try day(SandboxCase.today)
        let updates = (0..<80).map { IntAttributeUpdate(name: "mood", day: today.advanced(by: -$0), value: 5) }
        let count = Locked(0)
        exist.sandbox.server.script.next(.max, matching: "POST /api/2/attributes/update/") { _ in
            count.withLock {
                $0 += 1; return $0
            } == 2 ? .empty(503) : nil
        }

        let error = await #expect(throws: ExistError.self) {
            try await exist.existAPI.update(attributes: updates).value
        }

        #expect(error?.kind == .serviceFault)
        #expect(error?.batch?.answered == IndexSet(0..<35))
        #expect(error?.batch?.unknown == IndexSet(35..<70))
        #expect(error?.batch?.unsent == IndexSet(70..<80))
        #expect((error?.batch?.result as? AttributeUpdateResponse)?.success.count == 35)
    }

    @Test("Failed items carry what was sent and where it stood, also beyond the first request")
    func failedItems() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        _ = try await exist.existAPI.acquire(names: ["mood"]).value
        let today = try day(SandboxCase.today)
        var updates: [any AttributeUpdate] = (0..<40).map {
            IntAttributeUpdate(name: "mood", day: today.advanced(by: -$0), value: 5)
        }
        updates[2] = IntAttributeUpdate(name: "steps", day: today, value: 1)
        updates[37] = StringAttributeUpdate(name: "mood", day: today.advanced(by: -37), value: "fine")

        let reply = try await exist.existAPI.update(attributes: updates).value.attributeResponse

        #expect(reply.failed.map(\.index) == [2, 37])
        #expect(reply.failed.map(\.sent?.value) == [.integer(1), .text("fine")])
        #expect(reply.success.count == 38)
    }

    @Test("Updating what is not ours acquires it once, and stores it")
    func acquiringIfNeeded() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        let today = try day(SandboxCase.today)
        _ = try await exist.existAPI.acquire(names: ["mood"]).value
        exist.sandbox.server.resetRequests()

        let reply = try await exist.existAPI.updateAcquiringIfNeeded(attributes: [
            IntAttributeUpdate(name: "mood", day: today, value: 5),
            IntAttributeUpdate(name: "steps", day: today, value: 3158),
            IntAttributeUpdate(name: "no_such_attribute", day: today, value: 1),
            FloatAttributeUpdate(name: "weight", day: today, value: 65.8),
        ]).value.attributeResponse

        #expect(Set(reply.success.map(\.name)) == ["mood", "steps", "weight"])
        #expect(reply.failed.map(\.name) == ["no_such_attribute"])
        #expect(reply.failed.map(\.index) == [2])
        #expect(exist.sandbox.server.requests.filter { $0.path.hasSuffix("/acquire/") }.count <= 1)
    }

    @Test("What is stored in the end stands in the order it was given, whichever request stored it")
    func orderAfterAcquiring() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        let today = try day(SandboxCase.today)
        _ = try await exist.existAPI.acquire(names: ["mood"]).value
        let names = ["steps", "mood", "floors", "mood", "steps"]
        let updates = names.enumerated().map { place, name in
            IntAttributeUpdate(name: name, day: today.advanced(by: -place), value: 1 + place)
        }

        let reply = try await exist.existAPI.updateAcquiringIfNeeded(attributes: updates).value.attributeResponse

        #expect(reply.success.map(\.name) == names)
        #expect(reply.success.map(\.index) == [0, 1, 2, 3, 4])
        #expect(reply.success.map(\.value) == (1...5).map { .integer($0) })
        #expect(reply.failed.isEmpty)
    }

    @Test("If the second round fails as a whole, the caller learns which items are done and which are unknown")
    func interruptedWhileAcquiring() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        let today = try day(SandboxCase.today)
        _ = try await exist.existAPI.acquire(names: ["mood"]).value
        // Every second one is not ours: 40 of 80, which go out again as 35 and 5.
        let updates = (0..<80).map { place in
            IntAttributeUpdate(name: place % 2 == 0 ? "mood" : "steps", day: today.advanced(by: -place), value: 5)
        }
        let count = Locked(0)
        exist.sandbox.server.script.next(.max, matching: "POST /api/2/attributes/update/") { _ in
            let turn = count.withLock {
                $0 += 1
                return $0
            }
            return turn == 5 ? .empty(503) : nil
        }

        let error = await #expect(throws: ExistError.self) {
            try await exist.existAPI.updateAcquiringIfNeeded(attributes: updates).value
        }

        let batch = try #require(error?.batch)
        let result = try #require(batch.result as? AttributeUpdateResponse)
        #expect(error?.kind == .serviceFault)
        #expect(batch.unknown == IndexSet([71, 73, 75, 77, 79]) && batch.unsent.isEmpty)
        #expect(batch.answered == IndexSet(0..<80).subtracting(batch.unknown))
        #expect(result.success.compactMap(\.index) == Array(batch.answered) && result.failed.isEmpty)
    }

    @Test("If acquiring fails as a whole, what was refused before stays refused")
    func acquiringFails() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        let today = try day(SandboxCase.today)
        exist.sandbox.server.script.next(matching: "POST /api/2/attributes/acquire/", respond: .empty(503))

        let error = await #expect(throws: ExistError.self) {
            try await exist.existAPI.updateAcquiringIfNeeded(attributes: [
                IntAttributeUpdate(name: "steps", day: today, value: 5)
            ]).value
        }

        let batch = try #require(error?.batch)
        #expect(batch.answered == IndexSet(integer: 0) && batch.unknown.isEmpty && batch.unsent.isEmpty)
        #expect((batch.result as? AttributeUpdateResponse)?.failed.map(\.errorCode) == [.unauthorised])
    }

    @Test("Two items alike but for their values are told apart by them, in whatever form they come back")
    func twins() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        exist.answer(
            "POST /api/2/attributes/update/", status: 202,
            """
            {"success": [{"name": "steps", "date": "2024-03-01", "value": 42.0}],
             "failed": [{"name": "steps", "date": "2024-03-01", "value": "many", "error_code": "validation"}]}
            """)
        let day = try day("2024-03-01")

        let reply = try await exist.existAPI.update(attributes: [
            StringAttributeUpdate(name: "steps", day: day, value: "many"),
            IntAttributeUpdate(name: "steps", day: day, value: 42),
        ]).value.attributeResponse

        #expect(reply.success.map(\.index) == [1] && reply.failed.map(\.index) == [0])
    }

    @Test("What is made can be added to, and an addition is never sent twice by itself")
    func createAndIncrement() async throws {
        let exist = try SandboxCase(retry: RetryRule(firstDelay: 0))
        defer { exist.sandbox.stop() }
        let made = try await exist.existAPI.create([
            .custom(label: "Plants watered 🪴", group: "custom", valueType: .int),
            .template("gaming_min", manual: false),
        ]).value.attributeResponse
        let name = try #require(made.success.first?.name)

        let added = try await exist.existAPI.increment(attributes: [
            AttributeIncrement(name: name, by: 2), AttributeIncrement(name: name, by: 3),
        ]).value.attributeResponse
        exist.sandbox.server.script.next(matching: "POST /api/2/attributes/increment/", respond: .empty(503))
        let failure = await #expect(throws: ExistError.self) {
            try await exist.existAPI.increment(attributes: [AttributeIncrement(name: name, by: 1)]).value
        }

        #expect(made.success.count == 2)
        #expect(added.success.map(\.current) == [.integer(2), .integer(5)])
        #expect(failure?.batch?.unknown == IndexSet(0..<1))
        #expect(exist.sandbox.server.requests.filter { $0.path.hasSuffix("/increment/") }.count == 2)
    }

    @Test("Tags are set and cleared for a day, and read back")
    func tags() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        let today = try day(SandboxCase.today)
        _ = try await exist.existAPI.acquire(names: ["guitar", "headache"]).value

        _ = try await exist.existAPI.setTags(["guitar"], clearing: ["headache"], on: today).value
        let tags = try await exist.existAPI.tags(on: today).value.tags

        #expect(tags.map(\.name).contains("guitar"))
        #expect(!tags.map(\.name).contains("headache"))
    }

    @Test("Nothing to write sends nothing")
    func empty() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }

        let updated = try await exist.existAPI.update(attributes: []).value.attributeResponse
        let acquired = try await exist.existAPI.acquire(names: []).value.attributeResponse

        #expect(updated.success.isEmpty && updated.failed.isEmpty && acquired.success.isEmpty)
        #expect(exist.targets.isEmpty)
    }

    @Test("A batch of which everything failed is a result, also where the service calls it a 400")
    func allFailed() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        exist.answer(
            "POST /api/2/attributes/release/", status: 400,
            #"{"failed": [{"name": "weight", "error_code": "unauthorised", "error": "No"}]}"#)

        let reply = try await exist.existAPI.release(names: ["weight"]).value.attributeResponse

        #expect(reply.success.isEmpty)
        #expect(reply.failed.map(\.name) == ["weight"])
    }

    @Test("A 400 without results is an error with the service's words")
    func refused() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        exist.answer(
            "POST /api/2/attributes/release/", status: 400,
            #"{"error": "Expected a list of objects", "error_code": "invalid"}"#)

        let error = await #expect(throws: ExistError.self) {
            try await exist.existAPI.release(names: ["weight"]).value
        }

        #expect(error?.kind == .rejected)
        #expect(error?.description.contains("Expected a list of objects") == true)
    }

    @Test("The chain of the README acquires, checks and writes")
    func chain() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        let existAPI = exist.existAPI

        let written = try await existAPI.acquire(names: ["weight", "steps"]).then {
            attributeResponse, urlResponse -> Promise<ExistAPI.UpdateReply> in
            guard attributeResponse.failed.isEmpty else { throw PromiseError.cancelled }
            return existAPI.update(attributes: [
                FloatAttributeUpdate(name: "weight", date: SandboxCase.noon, value: 65.8),
                IntAttributeUpdate(name: "steps", date: SandboxCase.noon, value: 3158),
            ])
        }.value.attributeResponse

        #expect(written.success.map(\.name) == ["weight", "steps"])
    }
}

extension SandboxCase {
    var existAPIZone: TimeZone { TimeZone(identifier: "Europe/Stockholm") ?? .gmt }
}
