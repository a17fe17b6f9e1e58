import ExistKit
import Foundation
import PledgeSandbox
import Testing

@Suite("Reading from Exist", .serialized)
struct ReadingTests {
    @Test("The profile is the token's owner")
    func profile() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }

        let user = try await exist.existAPI.user().value.user

        #expect(!user.username.isEmpty)
        #expect(user.timezone == "Europe/Stockholm")
        #expect(user.utcOffset == 3600)
        #expect(user.localTime == SandboxCase.noon)
        #expect(exist.targets == ["GET /api/2/accounts/profile/"])
    }

    @Test("Attributes come with the last seven days unless asked otherwise, newest first, and complete")
    func week() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }

        let attributes = try await exist.existAPI.attributes(names: ["steps", "mood"]).value.attributes

        #expect(attributes.map(\.name).sorted() == ["mood", "steps"])
        for attribute in attributes {
            #expect(attribute.values.map(\.day.description).first == SandboxCase.today)
            #expect(attribute.values.count == 7)
            #expect(attribute.values.map(\.day) == attribute.values.map(\.day).sorted(by: >))
        }
        #expect(
            exist.targets == ["GET /api/2/attributes/with-values/?attributes=steps,mood&days=7&page=1&limit=100"])
    }

    @Test("A limit is a number of days, and more than a month is read window by window, without gap or overlap")
    func windows() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }

        let attributes = try await exist.existAPI.attributes(names: ["steps"], limit: 100).value.attributes

        let days = try #require(attributes.first).values.map(\.day)
        let today = try day(SandboxCase.today)
        #expect(days == (0..<100).map { today.advanced(by: -$0) })
        #expect(exist.sandbox.server.requests.map { $0.queryValue("days") } == ["31", "31", "31", "7"])
        #expect(
            exist.sandbox.server.requests.map { $0.queryValue("date_max") } == [
                nil, "2024-01-31", "2023-12-31", "2023-11-30",
            ])
    }

    @Test("Between two dates there is a value for each day, both ends included")
    func range() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        let zone = try #require(TimeZone(identifier: "Europe/Stockholm"))
        let first = try day("2023-12-30").date(in: zone)
        let last = try day("2024-02-10").date(in: zone)

        let attributes = try await exist.existAPI.attributes(names: ["steps"], minDate: first, maxDate: last).value
            .attributes

        let days = try #require(attributes.first).values.map(\.day.description)
        #expect(days.count == 43)
        #expect(days.first == "2024-02-10")
        #expect(days.last == "2023-12-30")
    }

    @Test("A first day without a last one reads up to the service's today, also where that is a day ahead")
    func openRange() async throws {
        let exist = try SandboxCase(zone: "Pacific/Kiritimati")
        defer { exist.sandbox.stop() }
        let behind = ExistAPI(
            token: exist.sandbox.token, baseURL: exist.sandbox.baseURL,
            timeZone: try #require(TimeZone(identifier: "America/Los_Angeles")), now: { SandboxCase.noon })

        let attributes = try await behind.attributes(names: ["steps"], from: try day("2024-02-28")).value.attributes

        let days = try #require(attributes.first).values.map(\.day.description)
        #expect(days == ["2024-03-03", "2024-03-02", "2024-03-01", "2024-02-29", "2024-02-28"])
    }

    @Test("All attributes are read, whatever the size of a page")
    func allPages() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        exist.answer(
            "GET /api/2/attributes/with-values/",
            #"{"count": 2, "next": "http://elsewhere.example/?page=2", "results": [{"name": "a", "value_type": 0}]}"#)
        exist.answer(
            "GET /api/2/attributes/with-values/",
            #"{"count": 2, "next": null, "results": [{"name": "b", "value_type": 0}]}"#)

        let attributes = try await exist.existAPI.attributes().value.attributes

        #expect(attributes.map(\.name) == ["a", "b"])
        #expect(exist.sandbox.server.requests.map { $0.queryValue("page") } == ["1", "2"])
    }

    @Test("Attributes without any argument are the last week of all, not only today")
    func plainAttributes() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }

        _ = try await exist.existAPI.attributes().value

        #expect(exist.targets == ["GET /api/2/attributes/with-values/?days=7&page=1&limit=100"])
    }

    @Test("Cancelling the task that waits ends the request, and no other is sent")
    func cancelledTask() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        let (arrived, seal) = Promise<Void>.pending()
        exist.sandbox.server.script.next(matching: "GET /api/2/attributes/with-values/") { _ in
            seal.fulfill()
            return SandboxResponse.empty(200).delayed(by: 3600)
        }
        let call = Task { () -> ExistError.Kind? in
            do {
                _ = try await exist.existAPI.attributes(limit: 100).value
                return nil
            } catch {
                return ExistError(error).kind
            }
        }
        try await arrived.value

        call.cancel()

        #expect(await call.value == .cancelled)
        #expect(exist.targets.count == 1)
    }

    @Test("A service that gives the same page for ever is asked twice, and its items are taken once")
    func repeatedPage() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        for _ in 0..<5 {
            exist.answer(
                "GET /api/2/averages/",
                #"{"count": 500, "next": "x", "results": [{"attribute": "a", "date": "2024-02-25", "overall": 1}]}"#)
        }

        let averages = try await exist.existAPI.averages().value.averages

        #expect(averages.count == 1)
        #expect(exist.targets.count == 2)
    }

    @Test("A service whose count grows with every page is not followed beyond what it promised at first")
    func growingCount() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        for page in 1...9 {
            exist.answer(
                "GET /api/2/correlations/",
                """
                {"count": \(page * 200), "next": "x", "results": [
                  {"date": "2024-02-25", "attribute": "a", "attribute2": "b\(page)", "value": 0.5}]}
                """)
        }

        let correlations = try await exist.existAPI.correlations().value.correlations

        #expect(correlations.map(\.attribute2) == ["b1", "b2", "b3"])
    }

    @Test("A service that says there are more items than anything can count is followed as far as it has pages")
    func absurdCount() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        for (name, next) in [("a", "\"x\""), ("b", "null")] {
            exist.answer(
                "GET /api/2/attributes/",
                "{\"count\": 9223372036854775807, \"next\": \(next), \"results\": [{\"name\": \"\(name)\"}]}")
        }

        #expect(try await exist.existAPI.all(.attributes(limit: 1)).value.items.map(\.name) == ["a", "b"])
    }

    @Test("An item that moves from one page to the next while they are read is there once")
    func shiftingPages() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        for (names, next) in [("ab", "\"x\""), ("bc", "null")] {
            let items = names.map { "{\"name\": \"\($0)\", \"value_type\": 0}" }.joined(separator: ", ")
            exist.answer("GET /api/2/attributes/", "{\"count\": 3, \"next\": \(next), \"results\": [\(items)]}")
        }

        let items = try await exist.existAPI.all(.attributes()).value.items

        #expect(items.map(\.name) == ["a", "b", "c"])
    }

    @Test("Asking for no attributes at all sends nothing")
    func noNames() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }

        let attributes = try await exist.existAPI.attributes(names: []).value.attributes

        #expect(attributes.isEmpty)
        #expect(exist.targets.isEmpty)
    }

    @Test("A first day after the last is an error that says so, and nothing is sent")
    func backwards() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }

        let error = await #expect(throws: ExistError.self) {
            try await exist.existAPI.attributes(from: try day("2024-03-02"), through: try day("2024-03-01")).value
        }

        #expect(error?.kind == .invalidArgument)
        #expect(error?.description == "The first day, 2024-03-02, is after the last, 2024-03-01: swap them.")
        #expect(exist.targets.isEmpty)
    }

    @Test("More than ten years of days, however they are asked for, are refused before anything is sent")
    func tooManyDays() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        let asked: [Promise<ExistAPI.AttributesReply>] = [
            exist.existAPI.attributes(limit: 3661), exist.existAPI.attributes(from: try day("2000-01-01")),
            exist.existAPI.attributes(days: .max, from: try day("0001-01-01")),
        ]

        for promise in asked {
            let error = await #expect(throws: ExistError.self) { try await promise.value }
            #expect(error?.kind == .invalidArgument)
            #expect(error?.description.contains("which is more than ten years") == true)
        }
        #expect(exist.targets.isEmpty)
    }

    @Test("Insights of the last days start that many days ago, today included")
    func insightsByDays() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }

        let insights = try await exist.existAPI.insights(days: 30).value.insights

        #expect(!insights.results.isEmpty)
        #expect(exist.targets.first == "GET /api/2/insights/?date_min=2024-02-02&page=1&limit=100")
    }

    @Test("A page of insights is the page that was asked for")
    func insightsPage() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }

        let first = try await exist.existAPI.insights(limit: 2).value.insights
        let second = try await exist.existAPI.insights(limit: 2, pageIndex: 2).value.insights

        #expect(first.results.count == 2 && second.results.count == 2)
        #expect(first.count > 2)
        #expect(first.next != nil)
        #expect(first.results != second.results)
    }

    @Test("Averages of one attribute include its history; those of all do not")
    func averages() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }

        let all = try await exist.existAPI.averages().value.averages
        let steps = try await exist.existAPI.averages(for: "steps", limit: 5).value.averages

        #expect(Set(all.map(\.attribute)).count == all.count)
        #expect(all.contains { $0.attribute == "steps" })
        #expect(steps.count == 5)
        #expect(steps.allSatisfy { $0.attribute == "steps" })
        #expect(steps.map(\.day) == steps.map(\.day).sorted(by: >))
        #expect(
            exist.targets.last == "GET /api/2/averages/?attributes=steps&include_historical=1&page=1&limit=5")
    }

    @Test("Correlations are the strong ones, or those of one attribute")
    func correlations() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }

        let strong = try await exist.existAPI.correlations().value.correlations
        let mood = try await exist.existAPI.correlations(for: "mood").value.correlations

        #expect(!strong.isEmpty)
        #expect(!mood.isEmpty)
        #expect(mood.allSatisfy { $0.attribute == "mood" || $0.attribute2 == "mood" })
        #expect(exist.targets.contains("GET /api/2/correlations/?strong=1&page=1&limit=100"))
        #expect(exist.targets.contains("GET /api/2/correlations/?attribute=mood&page=1&limit=100"))
    }

    @Test("Several calls gathered with when are all there, each with its own names")
    func gathered() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        let existAPI = exist.existAPI

        let counts = try await when(
            fulfilled: existAPI.insights(days: 30), existAPI.averages(limit: 30), existAPI.correlations()
        ).map { insights, averages, correlations in
            [insights.insights.results.count, averages.averages.count, correlations.correlations.count]
        }.value

        #expect(counts.allSatisfy { $0 > 0 })
    }
}
