import ExistKit
import Foundation
import Testing

@Suite("Compatibility of the models with version 1")
struct Version1ModelTests {
    @Test("Every model with a day also has a `date`, the moment at which that day begins on the device")
    func dates() throws {
        let day = try day("2024-03-02")
        let updates: [any AttributeUpdate] = [
            IntAttributeUpdate(name: "a", day: day, value: 1), FloatAttributeUpdate(name: "b", day: day, value: 0.5),
            StringAttributeUpdate(name: "c", day: day, value: "x"),
        ]
        let dates: [Date?] = [
            Attribute.DayValue(day: day, value: nil).date, Average(attribute: "a", day: day, overall: nil).date,
            Correlation(day: day, attribute: "a", attribute2: "b", value: 1).date,
            SuccessfullyUpdatedAttribute(name: "a", day: day, value: nil).date,
            FailedToUpdateAttribute(name: "a", day: day, value: nil, errorCode: .unknown, error: "").date,
        ]

        #expect((dates + updates.map(\.date)).allSatisfy { $0 == day.date() })
        #expect(FailedToUpdateAttribute(name: nil, day: nil, value: nil, errorCode: .unknown, error: "").date == nil)
        let dictionaries = try updates.compactMap { try $0.dictionaryRepresentation() }
        #expect(dictionaries.map { $0["name"] as? String } == ["a", "b", "c"])
        #expect(dictionaries.allSatisfy { $0["date"] as? String == "2024-03-02" })
        #expect(dictionaries[0]["value"] as? Int == 1 && dictionaries[1]["value"] as? Double == 0.5)
        // Numbers can also be read as `Double` and `Float`, because the older client's numbers were of type `Float`.
        #expect(dictionaries[0]["value"] as? Double == 1 && dictionaries[1]["value"] as? Float == 0.5)
        #expect(throws: EncodingError.self) {
            try FloatAttributeUpdate(name: "b", day: day, value: .nan).dictionaryRepresentation()
        }
        #expect(dictionaries[2]["value"] as? String == "x")
    }

    @available(*, deprecated)
    private func total(_ values: some AttributeValues) throws -> Int {
        try values.getIntValues().reduce(0) { $0 + ($1.value ?? 0) }
    }

    @available(*, deprecated)
    private func moment(_ object: some ValueObject) -> Date { object.date }

    @Test("The older names that the kit still has compile and work")
    @available(*, deprecated)
    func olderNames() throws {
        let day = try day("2024-03-02")
        let value = AttributeData(day: day, value: .integer(7))
        let steps = Attribute(name: "steps", group: AttributeGroup(name: "a"), valueType: .int, values: [value, value])
        #expect(try total(steps) == 14 && moment(value) == day.date())
    }

    @Test("The older client's own tests, which decode models and responses, pass with their names and their decoder")
    @available(*, deprecated)
    func olderTests() throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .useDefaultKeys
        let weight = """
            {"name": "weight", "label": "Weight", "group": {"name": "health", "label": "Health", "priority": 4},
             "priority": 1, "value_type": 1, "value_type_description": "Float", "service": "withings",
             "values": [{"date": "2020-05-04", "value": 65.5}, {"date": "2020-05-03", "value": null}]}
            """
        let attribute = try decoder.decode(Attribute.self, from: Data(weight.utf8))
        let values: [FloatValue] = try attribute.getFloatValues()
        #expect(attribute.group.label == "Health" && attribute.valueType == ValueType.float)
        #expect(values.first?.value == 65.5 && values[1].value == nil)
        do {
            _ = try attribute.getStringValues()
            Issue.record("These are numbers.")
        } catch AttributeError.wrongAttributeValueType {}

        let update = """
            {"success": [{"name": "mood_note", "date": "2020-05-04", "value": "Good"}],
             "failed": [{"name": "steps", "date": "2020-05-04", "error_code": "unauthorised", "error": "Not yours"}]}
            """
        let response = try decoder.decode(AttributeUpdateResponse.self, from: Data(update.utf8))
        let failed: FailedToUpdateAttribute? = response.failed.first
        #expect(response.success.first?.name == "mood_note")
        #expect(failed?.errorCode.rawValue == "unauthorised" && failed?.date != nil)
    }

    @Test("Updates and daily values have the older client's JSON form")
    func codable() throws {
        let update = FloatAttributeUpdate(name: "weight", day: try day("2024-03-02"), value: 65.5)
        let value = Attribute.DayValue(day: try day("2024-03-02"), value: .text("x"))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let (sent, kept) = (try encoder.encode(update), try encoder.encode(value))
        #expect(String(decoding: sent, as: UTF8.self) == #"{"date":"2024-03-02","name":"weight","value":65.5}"#)
        #expect(String(decoding: kept, as: UTF8.self) == #"{"date":"2024-03-02","value":"x"}"#)
        #expect(try JSONDecoder().decode(FloatAttributeUpdate.self, from: sent) == update)
        #expect(try JSONDecoder().decode(Attribute.DayValue.self, from: kept) == value)
    }

    @Test("A profile has imperial units if any quantity does")
    func imperialUnits() {
        #expect(!User(username: "a").imperialUnits)
        let flags: [WritableKeyPath<User, Bool>] = [
            \.imperialDistance, \.imperialWeight, \.imperialEnergy, \.imperialLiquid, \.imperialTemperature,
        ]
        for flag in flags {
            var user = User(username: "a")
            user[keyPath: flag] = true
            #expect(user.imperialUnits)
        }
    }
}
