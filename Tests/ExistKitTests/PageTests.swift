import ExistKit
import Foundation
import PledgeSandbox
import PledgeTestSupport
import Testing

@Suite("Pages", .serialized)
struct PageTests {
    @Test("Pages are fetched one by one, each only when it is needed")
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

    @Test("A page distinguishes its own items from the total count")
    func ownItems() {
        let page = ExistPage(totalCount: 40, results: ["a", "b"])

        #expect(page.first == "a" && page.indices == 0..<2 && page[1] == "b" && !page.isEmpty)
        #expect(page.totalCount == 40)
        #expect(
            ExistPage<String>(totalCount: 40, results: []).isEmpty
                && ExistPage<String>(totalCount: 40, results: []).first == nil)
    }

    @Test(
        "All items of a list are read, whatever its count, as long as there is a next page",
        arguments: ["", #""count": null, "#, #""count": 1, "#, #""count": 100, "#, #""count": 0, "#, #""count": -5, "#])
    func wrongCount(count: String) async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        let first = try day("2024-03-02")
        exist.sandbox.server.script.next(.max) { request in
            let page = Int(request.queryValue("page") ?? "") ?? 1
            let items = (((page - 1) * 100)..<min(page * 100, 250)).map { index in
                let day = first.advanced(by: -index)
                return
                    #"{"date": "\#(day)", "value": 1, "attribute": "a\#(index)", "attribute2": "b", "name": "c\#(index)"}"#
            }
            let next = page < 3 ? #""x""# : "null"
            return .text(#"{\#(count)"next": \#(next), "results": [\#(items.joined(separator: ", "))]}"#)
        }
        let api = exist.existAPI
        let steps = Attribute(name: "steps", group: AttributeGroup(name: "g"), valueType: .int)

        #expect(try await api.all(.attributes()).value.items.count == 250)
        #expect(try await api.history(of: steps).value.attribute.values.count == 250)
        #expect(try await api.averages().value.averages.count == 250)
        #expect(try await api.correlations().value.correlations.count == 250)
    }

    @Test("What could not be decoded on any page is beside all items, in one page")
    func merged() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        for (day, next) in [("2024-03-02", #""https://exist.io/?page=2""#), ("2024-03-01", "null")] {
            exist.answer(
                "GET /api/2/attributes/values/",
                #"{"next": \#(next), "results": [{"date": "\#(day)", "value": 1}, {}]}"#)
        }

        let page = try await exist.existAPI.mergedPage(.values(of: "steps")).value.page

        #expect(page.results.count == 2 && page.next == nil)
        #expect(page.unreadable.map(\.description) == ["item 1: date is missing", "item 1: date is missing"])
    }

    @Test("A sequence has no more pages after one that failed")
    func failedPage() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        var pages = exist.existAPI.pages(.values(of: "steps", limit: 10)).makeAsyncIterator()
        #expect(try await pages.next()?.results.count == 10)
        exist.answer("GET /api/2/attributes/values/", status: 500, "{}")

        await #expect(throws: ExistError.self) { try await pages.next() }

        #expect(try await pages.next() == nil)
        #expect(exist.targets.count == 2)
    }

    @Test("Canceling a task that iterates over pages cancels the request in progress, and no other is sent")
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

    @Test("A group that the token's scopes do not cover, or that has no scope, yields an empty list")
    func noScope() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        exist.sandbox.addToken("only-mood", scopes: ["mood_read"])
        let existAPI = ExistAPI(token: "only-mood", timeout: 600, baseURL: exist.sandbox.baseURL)

        #expect(try await existAPI.all(.attributes(groups: ["sleep"])).value.items.isEmpty)
        #expect(try await existAPI.all(.attributes(groups: ["twitter"])).value.items.isEmpty)
        #expect(try await !existAPI.all(.attributes(groups: ["mood"])).value.items.isEmpty)
    }

    @Test("All attributes are read, whatever the page size")
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

    @Test("A service that repeats the same page forever receives two requests, and the call fails")
    func repeatedPage() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        for _ in 0..<5 {
            exist.answer(
                "GET /api/2/averages/",
                #"{"count": 500, "next": "x", "results": [{"attribute": "a", "date": "2024-02-25", "overall": 1}]}"#)
        }

        let error = await thrown(ExistError.self) { try await exist.existAPI.averages().value }

        #expect(error?.kind == .unreadable && "\(error as Any)".contains("2 pages with 2 items"))
        #expect(exist.targets.count == 2)
    }

    @Test("A service whose pages are smaller than requested is read to the end")
    func smallPages() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        for page in 1...5 {
            exist.answer(
                "GET /api/2/attributes/",
                """
                {"count": 10, "next": \(page < 5 ? "\"x\"" : "null"), "results": [
                  {"name": "a\(page)", "value_type": 0}, {"name": "b\(page)", "value_type": 0}]}
                """)
        }

        #expect(try await exist.existAPI.all(.attributes()).value.items.count == 10)
        #expect(exist.targets.count == 5)
    }

    @Test("If the count is absurdly large, all existing pages are read")
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

    @Test("An item that moves to the next page during reading is returned once")
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

    @Test("A page is a sequence of its items, and a broken item does not affect the others")
    func page() throws {
        let page: ExistPage<Average> = try decode(
            """
            {"count": 3, "next": null, "previous": null, "results": [
              {"attribute": "a", "date": "2024-02-25"}, {"attribute": 5}, {"attribute": "b", "date": "2024-02-25"}]}
            """)

        #expect(page.map(\.attribute) == ["a", "b"])
        #expect(page.totalCount == 3)
        #expect(page[1].attribute == "b")
        #expect(page.unreadable.map(\.index) == [1])
    }

    @Test("A call that reads several months, each in pages, has one budget for all of them")
    func budget() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        let existAPI = ExistAPI(
            token: exist.sandbox.token, timeout: 600, baseURL: exist.sandbox.baseURL,
            options: ExistAPI.defaultOptions.with { $0.budget.requests = 3 })

        let error = await thrown(ExistError.self) { try await existAPI.attributes(days: 200).value }

        #expect(error?.kind == .overBudget && "\(error as Any)".contains("the budget of 3 requests is used up"))
        #expect(exist.targets.count == 3)
    }
}
