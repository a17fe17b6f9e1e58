import ExistKit
import Foundation
import Testing

@Suite("Every parameter of every list")
struct QueryTests {
    private func sent<Item>(_ query: ExistQuery<Item>) async throws -> String {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        _ = await exist.existAPI.page(query).settled().value
        return try #require(exist.targets.first)
    }

    @Test("What is asked for is what reaches the service")
    func bytes() async throws {
        let (first, last) = (try day("2024-01-02"), try day("2024-02-03"))

        #expect(
            try await sent(
                .attributes(
                    groups: ["mood", "sleep"], names: ["a,b", "日記"], excludeCustom: true, manual: false,
                    includeInactive: true, includeLowPriority: true, owned: true, limit: 7, page: 3))
                == "GET /api/2/attributes/?groups=mood,sleep&attributes=a%2Cb,%E6%97%A5%E8%A8%98&exclude_custom=true"
                + "&manual=false&include_inactive=true&include_low_priority=true&owned=true&page=3&limit=7")
        #expect(try await sent(ExistQuery<Attribute>.attributes()) == "GET /api/2/attributes/?page=1&limit=100")
        #expect(
            try await sent(
                .owned(
                    groups: ["mood"], names: ["mood"], excludeCustom: true, manual: true, includeInactive: true,
                    includeLowPriority: true, limit: 500, page: 0))
                == "GET /api/2/attributes/owned/?groups=mood&attributes=mood&exclude_custom=true&manual=true"
                + "&include_inactive=true&include_low_priority=true&page=1&limit=100")
        #expect(
            try await sent(
                .attributesWithValues(
                    groups: ["mood"], templates: ["mood"], manual: true, days: 99, dateMax: last, limit: 5))
                == "GET /api/2/attributes/with-values/?groups=mood&templates=mood&manual=true&days=31"
                + "&date_max=2024-02-03&page=1&limit=5")
        #expect(
            try await sent(.values(of: "weight", dateMax: last, limit: 4, page: 2))
                == "GET /api/2/attributes/values/?attribute=weight&date_max=2024-02-03&page=2&limit=4")
        #expect(
            try await sent(.templates(groups: ["health"], includeLowPriority: true))
                == "GET /api/2/attributes/templates/?include_low_priority=true&groups=health&page=1&limit=100")
        #expect(
            try await sent(.insights(dateMin: first, dateMax: last, priority: 3))
                == "GET /api/2/insights/?date_min=2024-01-02&date_max=2024-02-03&priority=3&page=1&limit=100")
        #expect(
            try await sent(
                .averages(
                    groups: ["mood"], names: ["mood"], includeHistorical: true, dateMin: first, dateMax: last, limit: 26
                ))
                == "GET /api/2/averages/?groups=mood&attributes=mood&include_historical=1&date_min=2024-01-02"
                + "&date_max=2024-02-03&page=1&limit=26")
        #expect(
            try await sent(.correlations(attribute: "mood", strong: true, confident: true))
                == "GET /api/2/correlations/?strong=1&confident=1&attribute=mood&page=1&limit=100")
    }

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

    @Test("Today is one call for all attributes")
    func today() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }

        let attributes = try await exist.existAPI.attributes(on: nil).value.attributes

        #expect(attributes.count > 30)
        #expect(attributes.allSatisfy { $0.values.map(\.day.description) == [SandboxCase.today] })
    }
}
