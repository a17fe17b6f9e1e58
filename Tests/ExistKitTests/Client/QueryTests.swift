import ExistKit
import Foundation
import PledgeSandbox
import Testing

@Suite("Lists", .serialized)
struct QueryTests {
    @Test("A correlation of two attributes is there, or nil; a wrong address is an error")
    func combo() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        let strongest = try #require(try await exist.existAPI.correlations().value.correlations.first)

        let found = try await exist.existAPI.correlation(between: strongest.attribute2, and: strongest.attribute).value
        let none = try await exist.existAPI.correlation(between: "weather_summary", and: "mood_note").value
        exist.sandbox.server.script.next(respond: .text("<html>Not here</html>", status: 404))
        let lost = await exist.existAPI.correlation(between: "a", and: "b").settled().value

        #expect(found.correlation?.value == strongest.value)
        #expect(none.correlation == nil)
        #expect(throws: ExistError.self) { try lost.get() }
    }

    @Test("The whole history of an attribute is read page by page, typed")
    func history() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        let weight = try #require(try await exist.existAPI.all(.attributes(names: ["weight"])).value.items.first)

        let whole = try await exist.existAPI.history(of: weight).value.attribute

        let values = try whole.getFloatValues()
        #expect(values.count == 365)
        #expect(Set(values.map(\.day)).count == 365)
        #expect(values.map(\.day) == values.map(\.day).sorted(by: >))
    }

    @Test("Pages come one by one, each asked for when it is wanted")
    func lazyPages() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        var days = 0

        for try await page in exist.existAPI.pages(.values(of: "steps", limit: 50)) {
            days += page.results.count
            if days == 100 { break }
        }

        #expect(exist.targets.count == 2)
    }

    @Test("Pages end by themselves where a page comes twice, and where the count of the first page is reached")
    func pagesEnd() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        let item = #"{"attribute": "a", "date": "2024-02-25"}"#
        exist.sandbox.server.script.next(.max, matching: "GET /api/2/averages/") { _ in
            .text(#"{"count": 500, "next": "x", "results": [\#(item)]}"#)
        }
        exist.sandbox.server.script.next(.max, matching: "GET /api/2/insights/") { request in
            let page = Int(request.queryValue("page") ?? "") ?? 0
            let insight = #"{"created": "2024-03-02T06:05:11Z", "type": {"name": "x"}, "text": "\#(page)"}"#
            return .text(#"{"count": \#(page * 3), "next": "x", "results": [\#(insight)]}"#)
        }
        var (twice, counted) = (0, 0)

        for try await _ in exist.existAPI.pages(.averages()) { twice += 1 }
        for try await _ in exist.existAPI.pages(.insights(limit: 1)) { counted += 1 }

        #expect(twice == 2)
        #expect(counted == 4)
    }

    @Test("Cancelling whoever goes over pages ends the request under way, and no other is sent")
    func cancelledPages() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        let (arrived, seal) = Promise<Void>.pending()
        exist.sandbox.server.script.next(.max, matching: "GET /api/2/attributes/values/") { request in
            guard request.queryValue("page") == "2" else { return nil }
            seal.fulfill()
            return SandboxResponse.empty(200).delayed(by: 3600)
        }
        let walk = Task { () -> (pages: Int, isCancelled: Bool) in
            var pages = 0
            do {
                for try await _ in exist.existAPI.pages(.values(of: "steps", limit: 10)) { pages += 1 }
                return (pages, false)
            } catch {
                return (pages, error.isCancelled)
            }
        }
        try await arrived.value

        walk.cancel()

        #expect(await walk.value == (1, true))
        #expect(exist.targets.count == 2)
    }

    @Test("Asking for a group the token may not read, or that has no scope, gives an empty list")
    func noScope() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        exist.sandbox.addToken("only-mood", scopes: ["mood_read"])
        let existAPI = ExistAPI(token: "only-mood", baseURL: exist.sandbox.baseURL)

        #expect(try await existAPI.all(.attributes(groups: ["sleep"])).value.items.isEmpty)
        #expect(try await existAPI.all(.attributes(groups: ["twitter"])).value.items.isEmpty)
        #expect(try await !existAPI.all(.attributes(groups: ["mood"])).value.items.isEmpty)
    }

    @Test("Today is one call for all attributes")
    func today() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }

        let attributes = try await exist.existAPI.attributes(on: nil).value.attributes

        #expect(attributes.count > 30)
        #expect(attributes.allSatisfy { $0.values.map(\.day.description) == [SandboxCase.today] })
    }
}
