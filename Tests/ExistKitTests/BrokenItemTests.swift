import ExistKit
import Foundation
import PledgeHTTP
import Testing

@Suite("A list with one broken item still gives the others", .serialized)
struct BrokenItemTests {
    /// A sample, with a broken item in front of each of its lists.
    private func broken(_ name: String, with item: JSONValue) throws -> String {
        guard case .object(var reply) = try read(JSONValue.self, name) else { throw NoSuchDay() }
        for key in ["results", "success", "failed"] {
            if case .array(let items)? = reply[key] { reply[key] = .array([item] + items) }
        }
        return String(decoding: try JSONEncoder().encode(reply), as: UTF8.self)
    }

    private func check<Item: Equatable>(_ type: Item.Type, _ name: String) throws where Item: Decodable & Sendable {
        let whole = try read(ExistPage<Item>.self, name)
        #expect(!whole.results.isEmpty)
        for item in [JSONValue.object([:]), .object(["name": .array([])]), .integer(7), .null, .string("x")] {
            let page = try decode(ExistPage<Item>.self, try broken(name, with: item))
            #expect(page.results == whole.results, "\(name) with \(item)")
            #expect(page.unreadable.map(\.index) == [0], "\(name) with \(item)")
        }
    }

    @Test("Lists that are read")
    func lists() throws {
        try check(Attribute.self, "attributes_page1_200")
        try check(Attribute.self, "attributes_page2_last_200")
        try check(Attribute.self, "attributes_owned_200")
        try check(Attribute.self, "attributes_tags_for_day_200")
        try check(Attribute.self, "attributes_with_values_page1_200")
        try check(Attribute.self, "attributes_with_values_page2_200")
        try check(AttributeTemplate.self, "attributes_templates_page1_200")
        try check(AttributeTemplate.self, "attributes_templates_page2_200")
        try check(Attribute.DayValue.self, "attributes_values_200")
        try check(Insight.self, "insights_page1_200")
        try check(Average.self, "averages_200")
        try check(Average.self, "averages_historical_200")
        try check(Correlation.self, "correlations_page1_200")
        try check(Correlation.self, "correlations_page2_200")
    }

    private func check<Success: Decodable & Sendable & Equatable>(
        _ type: BatchResult<Success>.Type, _ name: String
    ) throws {
        let whole = try read(type, name)
        let reply = try decode(type, try broken(name, with: .integer(7)))
        #expect(reply.success == whole.success && reply.failed == whole.failed, "\(name)")
        #expect(whole.unreadable.isEmpty && !reply.unreadable.isEmpty, "\(name)")
    }

    @Test("Answers to writes")
    func writes() throws {
        for name in ["acquire_200", "acquire_202", "release_200", "release_202", "write_200_missing_arrays"] {
            try check(AttributeResponse.self, name)
        }
        for name in ["create_plain_200", "create_success_objects_200", "create_202"] {
            try check(AttributeCreateResponse.self, name)
        }
        for name in ["update_200", "update_202", "write_202_all_failed", "increment_200", "increment_202"] {
            try check(AttributeUpdateResponse.self, name)
        }
    }

    @Test("Half a reply is never taken for a whole one, wherever it was cut off")
    func halves() throws {
        for file in try FileManager.default.contentsOfDirectory(at: fixtures, includingPropertiesForKeys: nil) {
            let whole = Array(try sample(file.deletingPathExtension().lastPathComponent).utf8)
            let length = (whole.lastIndex { $0 != UInt8(ascii: "\n") } ?? 0) + 1
            let read = { (count: Int) -> Bool in
                let reply = HTTPReply(url: ExistAPI.serviceURL, status: 200, body: Data(whole[..<count]))
                return (try? JSONReply.decode(JSONValue.self, from: reply)) != nil
            }
            #expect(
                read(length) && !stride(from: 0, to: length, by: 7).contains(where: read), "\(file.lastPathComponent)")
        }
    }

    @Test("The values of an attribute, of which a broken one keeps its day, and the services that could own it")
    func inner() throws {
        let attribute: Attribute = try decode(
            """
            {"name": "a", "value_type": 0, "available_services": [{"name": "x"}],
             "values": [7, {"date": "2024-03-02", "value": {}}, {"value": 5}, {"date": "2024-03-01", "value": 5}]}
            """)

        #expect(attribute.values.map(\.day.description) == ["2024-03-02", "2024-03-01"])
        #expect(attribute.values.map(\.value) == [nil, .integer(5)])
        #expect(attribute.unreadableValues.map(\.index) == [0, 1, 2])
        #expect(attribute.availableServices == [AttributeService(name: "x")])
    }
}
