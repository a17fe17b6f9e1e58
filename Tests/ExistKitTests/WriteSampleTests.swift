import Foundation
import Testing

@testable import ExistKit

@Suite("Documentation samples: writes", .serialized)
struct WriteSampleTests {
    private let exist: SandboxCase
    init() throws { exist = try SandboxCase() }

    private struct Row {
        let response: String
        /// The sample of the request, if there is one.
        let request: String?
        /// A text for each item of the write: what identifies the item, and its value. The items that succeeded come
        /// first, and then the items that failed. The text of a failed item begins with the item's index.
        let items: [String]
        let call: (ExistAPI) -> Promise<[String]>

        init<Success: ResponseItem>(
            _ response: String, request: String? = nil, _ items: [String],
            _ call: @escaping (ExistAPI) -> Promise<(attributeResponse: WriteResult<Success>, response: URLResponse)>
        ) {
            (self.response, self.request, self.items) = (response, request, items)
            self.call = { api in
                call(api).map { response in
                    let result = response.attributeResponse
                    #expect(result.unreadable.isEmpty && result.unconfirmed.isEmpty)
                    return result.success.map { Self.words($0.echo) }
                        + result.failed.map { "\($0.index ?? -1): \(Self.words($0.echo)), \($0.errorCode.rawValue)" }
                }
            }
        }

        private static func words(_ item: SentItem) -> String {
            let parts = [item.name, item.template, item.label, item.day?.description, item.value?.description]
            return parts.compactMap { $0 }.joined(separator: " ")
        }
    }

    private static let plants = "Plants watered 🪴"
    private static let note = "Naïve café — \"quotes\" & emoji 🎈"

    private static func rows() throws -> [Row] {
        let (first, second) = (try day("2024-03-01"), try day("2024-03-02"))
        let custom = NewAttribute.custom(label: plants, group: "custom", valueType: .boolean, manual: true)
        let weight = FloatAttributeUpdate(name: "weight", day: second, value: 64.8)
        return [
            Row("acquire_200", request: "acquire_request", ["pages_read pages_read", "kombucha"]) {
                $0.acquire([.template("pages_read", manual: false), .name("kombucha")])
            },
            Row("acquire_202", ["mood_note", "1: stress_level, missing_field", "2: weight weight, unauthorised"]) {
                $0.acquire([.name("mood_note"), .name("stress_level"), .template("weight")])
            },
            Row("release_202", request: "release_request", ["pages_read", "1: weight, unauthorised"]) {
                $0.release(names: ["pages_read", "weight"])
            },
            Row("write_200_missing_arrays", ["weight"]) { $0.release(names: ["weight"]) },
            Row(
                "create_success_objects_200", request: "create_request",
                ["gaming_min gaming_min Gaming", "plants_watered \(plants)"]
            ) { $0.create([.template("gaming_min", manual: false), custom]) },
            Row("create_plain_200", ["plants_watered \(plants)"]) { $0.create([custom]) },
            Row("create_202", ["gaming_min gaming_min Gaming", "0: \(plants), exists", "2: Nap start, validation"]) {
                let nap = NewAttribute.custom(label: "Nap start", group: "sleep", valueType: .minFromMidday)
                return $0.create([custom, .template("gaming_min", manual: false), nap])
            },
            Row(
                "update_200", request: "update_request",
                [
                    "pages_read 2024-03-01 42", "weight 2024-03-02 64.8", "mood_note 2024-03-02 \(note)",
                    "guitar 2024-03-02 1",
                ]
            ) {
                $0.update(attributes: [
                    IntAttributeUpdate(name: "pages_read", day: first, value: 42), weight,
                    StringAttributeUpdate(name: "mood_note", day: second, value: note),
                    IntAttributeUpdate(name: "guitar", day: second, value: 1),
                ])
            },
            Row(
                "update_202",
                [
                    "pages_read 2024-03-01 42", "1: mood 2024-03-01 5, missing_field",
                    "2: steps 2024-03-02 many, validation", "3: floors 2024-03-02 3, missing_field",
                    "4: weight 2024-03-02 64.8, unauthorised",
                ]
            ) {
                $0.update(attributes: [
                    IntAttributeUpdate(name: "pages_read", day: first, value: 42),
                    IntAttributeUpdate(name: "mood", day: first, value: 5),
                    StringAttributeUpdate(name: "steps", day: second, value: "many"),
                    IntAttributeUpdate(name: "floors", day: second, value: 3), weight,
                ])
            },
            Row("write_202_all_failed", ["0: weight 2024-03-02 64.8, unauthorised"]) {
                $0.update(attributes: [weight])
            },
            Row("increment_200", request: "increment_request", ["pages_read 1", "steps_distance 2024-03-01 0.75"]) {
                $0.increment(attributes: [
                    AttributeIncrement(name: "pages_read", by: 1),
                    AttributeIncrement(name: "steps_distance", by: 0.75, day: first),
                ])
            },
            Row("increment_202", ["pages_read 1", "0: mood 1, validation", "2: meditation_min 2.5, validation"]) {
                $0.increment(attributes: [
                    AttributeIncrement(name: "mood", by: 1), AttributeIncrement(name: "pages_read", by: 1),
                    AttributeIncrement(name: "meditation_min", by: 2.5),
                ])
            },
        ]
    }

    @Test("A write is sent as documented, and fields that the response omits are filled in from the request")
    func items()
        async throws
    {
        for row in try Self.rows() {
            try exist.answer("POST ", sample: row.response)

            let items = try await row.call(exist.existAPI).value

            #expect(items == row.items, "\(row.response)")
            if let request = row.request { #expect(try exist.lastBody == sent(request)) }
        }
    }

    @Test("A created tag is matched with the sent one even if its label is returned in lower case")
    func lowerCase() async throws {
        exist.answer(
            "POST ",
            #"{"success": [{"label": "nap", "group": "custom", "value_type": 7, "name": "nap"}], "failed": []}"#)
        let created = try await exist.existAPI.create([.tag("Nap")]).value.attributeResponse
        #expect(created.success.map(\.name) == ["nap"] && created.failed.isEmpty && created.unconfirmed.isEmpty)
    }

    @Test(
        "The lists of items in a response, not its status code, determine which items succeeded",
        arguments: [200, 201, 207])
    func statuses(status: Int) async throws {
        exist.answer("POST ", status: status, try sample("create_202"))
        let response = try await exist.existAPI.create([.template("gaming_min")]).value.attributeResponse
        #expect(response.success.count == 1 && response.failed.count == 2)
    }
}
