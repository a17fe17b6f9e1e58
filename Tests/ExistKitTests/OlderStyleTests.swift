import ExistKit
import XCTest

/// Tests in the style of the older client's own tests: with XCTest, and with the decoder and the names of that client.
final class OlderStyleTests: XCTestCase {
    private let decoder: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .useDefaultKeys
        return decoder
    }()

    @available(*, deprecated)
    func testAttributeValues() throws {
        let json = """
            {"name": "weight", "label": "Weight", "group": {"name": "health", "label": "Health", "priority": 4},
             "priority": 1, "value_type": 1, "value_type_description": "Float", "service": "withings",
             "values": [{"date": "2020-05-04", "value": 65.5}, {"date": "2020-05-03", "value": null}]}
            """
        let attribute = try decoder.decode(Attribute.self, from: Data(json.utf8))
        let values: [FloatValue] = try attribute.getFloatValues()
        XCTAssertEqual(attribute.group.label, "Health")
        XCTAssertEqual(attribute.valueType, ValueType.float)
        XCTAssertEqual(values.first?.value, 65.5)
        XCTAssertNil(values[1].value)
        do {
            _ = try attribute.getStringValues()
            XCTFail("These are numbers")
        } catch AttributeError.wrongAttributeValueType {}
    }

    func testResponse() throws {
        let json = """
            {"success": [{"name": "mood_note", "date": "2020-05-04", "value": "Good"}],
             "failed": [{"name": "steps", "date": "2020-05-04", "error_code": "unauthorised", "error": "Not yours"}]}
            """
        let response = try decoder.decode(AttributeUpdateResponse.self, from: Data(json.utf8))
        let failed: FailedToUpdateAttribute? = response.failed.first
        XCTAssertEqual(response.success.first?.name, "mood_note")
        XCTAssertEqual(failed?.errorCode.rawValue, "unauthorised")
        XCTAssertNotNil(failed?.date)
    }
}
