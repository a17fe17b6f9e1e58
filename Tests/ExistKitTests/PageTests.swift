import ExistKit
import Foundation
import PledgeTestSupport
import Testing

@Suite("Pages of lists", .serialized)
struct PageTests {
    private let exist: SandboxCase
    init() throws { exist = try SandboxCase() }

    @Test("A page has its own items, and the total count of the whole list")
    func ownItems() throws {
        let page = ExistPage(totalCount: 40, results: ["a", "b"])
        #expect(page.first == "a" && page[1] == "b" && !page.isEmpty)
        #expect(page.totalCount == 40)
        let none = try read(ExistPage<Attribute>.self, "attributes_empty_page_200")
        #expect(none.isEmpty && none.first == nil)
        let further = ExistPage<Insight>(totalCount: 0, next: "x", results: [])
        #expect(ExistQuery<Insight>.insights(page: .max).page(after: further) == nil)
    }

    @Test(
        "A list is read to its end as long as there is a next page, even if the service's count is wrong",
        arguments: ["", "null", "1", "100", "0", "-5", "9223372036854775807"])
    func wrongCount(number: String) async throws {
        let count = number.isEmpty ? "" : "\"count\": \(number), "
        let first = try day("2024-03-02")
        exist.sandbox.server.script.next(.max) { request in
            let page = Int(request.queryValue("page") ?? "") ?? 1
            let items = (((page - 1) * 90)..<min(page * 90, 250)).map { index in
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
        #expect(try await api.averages(for: "a", includeHistorical: true).value.averages.count == 250)
        #expect(try await api.correlations().value.correlations.count == 250)
    }

    @Test("A list that is merged from several pages has the readable and the unreadable items of all pages")
    func merged() async throws {
        for (hour, links) in [("06", #""next": "x""#), ("05", #""previous": "x""#)] {
            let insight = #"{"created": "2024-03-02T\#(hour):05:11Z", "type": {"name": "x"}}"#
            exist.answer("GET /api/2/insights/", #"{\#(links), "results": [\#(insight), {}]}"#)
        }
        let page = try await exist.existAPI.insights(days: 2).value.insights
        #expect(page.results.count == 2 && page.next == nil && page.previous == nil)
        #expect(page.unreadable.map(\.description) == ["item 1: created is missing", "item 1: created is missing"])
        exist.answer("GET /api/2/attributes/values/", #"{"results": [{"value": 1}]}"#)
        let steps = Attribute(name: "steps", group: AttributeGroup(name: "g"), valueType: .int)
        #expect(try await exist.existAPI.history(of: steps).value.attribute.unreadableValues.count == 1)
    }

    @Test("If a service repeats the same page forever, the call fails after two requests")
    func repeatedPage() async throws {
        for _ in 0..<5 {
            exist.answer(
                "GET /api/2/averages/",
                #"{"count": 500, "next": "x", "results": [{"attribute": "a", "date": "2024-02-25", "overall": 1}]}"#)
        }
        let error = await thrown(ExistError.self) { try await exist.existAPI.averages().value }
        #expect(error?.kind == .unreadable && "\(error as Any)".contains("2 pages with 2 items"))
        #expect(exist.targets.count == 2)
    }

    @Test("The error of a later page says how many items were read before it")
    func progress() async throws {
        exist.sandbox.server.script.next(.max) { $0.queryValue("page") == "2" ? .empty(500) : nil }
        let query = ExistQuery<Attribute>.attributes(limit: 10)
        for failure in [
            await exist.existAPI.all(query).failure(), await exist.existAPI.pages(query).items().failure(),
        ] {
            #expect("\(try #require(failure as? ExistError))".contains("(10 items on 1 page were read before)"))
        }
    }

    @Test("More than ten thousand unreadable values count as one unreadable list")
    func countless() async throws {
        let values = String(repeating: "0,", count: 10_000)
        let attribute = #"{"name": "steps", "group": {"name": "g"}, "value_type": 0, "values": [\#(values)0]}"#
        exist.answer("GET /api/2/attributes/with-values/", #"{"results": [\#(attribute)]}"#)
        let page = try await exist.existAPI.page(.attributesWithValues(days: 7)).value.page
        #expect(page.first?.values.isEmpty == true && page.first?.unreadableValues.count == 1)
    }

    @Test("An item that moves to the next page during reading is returned once")
    func shiftingPages() async throws {
        for (names, next) in [("ab", "\"x\""), ("bc", "null")] {
            let items = names.map { "{\"name\": \"\($0)\", \"value_type\": 0}" }.joined(separator: ", ")
            exist.answer("GET /api/2/attributes/", "{\"count\": 3, \"next\": \(next), \"results\": [\(items)]}")
        }
        let items = try await exist.existAPI.all(.attributes()).value.items
        #expect(items.map(\.name) == ["a", "b", "c"])
    }

    @Test("If a service sends an item twice, the call reports that other items may be missing")
    func twice() async throws {
        for (names, next) in [("ab", "\"x\""), ("bc", "null")] {
            let items = names.map { "{\"name\": \"\($0)\", \"value_type\": 0}" }.joined(separator: ", ")
            exist.answer("GET /api/2/attributes/", "{\"count\": 4, \"next\": \(next), \"results\": [\(items)]}")
        }
        let told = Recorder<String>()
        let existAPI = ExistAPI(
            token: exist.sandbox.token, baseURL: exist.sandbox.baseURL,
            options: ExistAPI.defaultOptions.with { $0.onUnreadable = { told.append("\($0): \($1)") } })
        #expect(try await existAPI.all(.attributes()).value.items.map(\.name) == ["a", "b", "c"])
        #expect(told.all == ["attributes/: 1 item came twice, so others may be missing"])
    }

    @Test("A correlation or an insight that moves to the next page during reading is returned once")
    func shiftingFindings() async throws {
        for (numbers, next) in [(1...2, "\"x\""), (2...3, "null")] {
            let correlations = numbers.map {
                #"{"attribute": "a", "attribute2": "b\#($0)", "date": "2024-03-02", "value": 0.5}"#
            }
            let insights = numbers.map {
                #"{"created": "2024-03-02T10:00:0\#($0)Z", "target_date": "2024-03-02", "type": {"name": "n"}, "text": "t"}"#
            }
            for (path, items) in [("correlations", correlations), ("insights", insights)] {
                exist.answer(
                    "GET /api/2/\(path)/", #"{"next": \#(next), "results": [\#(items.joined(separator: ", "))]}"#)
            }
        }
        let correlations = try await exist.existAPI.all(.correlations()).value.items
        let insights = try await exist.existAPI.all(.insights()).value.items
        #expect(correlations.map(\.attribute2) == ["b1", "b2", "b3"] && insights.count == 3)
    }

    @Test("A call that reads several months has one budget for the requests of all months")
    func budget() async throws {
        let existAPI = ExistAPI(
            token: exist.sandbox.token, timeout: 600, baseURL: exist.sandbox.baseURL,
            options: ExistAPI.defaultOptions.with { $0.budget.requests = 3 })
        let error = await thrown(ExistError.self) { try await existAPI.attributes(days: 3660).value }
        #expect(error?.kind == .overBudget && "\(error as Any)".contains("the budget of 3 requests is used up"))
        #expect(exist.targets.count == 3)
    }
}
