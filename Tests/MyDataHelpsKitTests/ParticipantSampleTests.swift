import Foundation
import MyDataHelpsKit
import Testing

@Suite("Documentation samples", .serialized)
struct ParticipantSampleTests {
    @Test(
        "A link without a scheme gets https if it names a host, and its original text is always kept",
        arguments: [
            ("https://a.example/x?y=1", "https://a.example/x?y=1"), ("http://a.example/", "http://a.example/"),
            ("mailto:help@a.example", "mailto:help@a.example"), ("www.a.example/help", "https://www.a.example/help"),
            ("www.a.example", "https://www.a.example"), ("a.example", nil),
            ("//a.example/logo.png", "https://a.example/logo.png"),
            ("a.example:8443/help", "https://a.example:8443/help"),
            ("åre.example/hjälp", "https://xn--re-xia.example/hj%C3%A4lp"),
            ("/logo.png", nil), ("logo.png?x", nil), ("help@a.example", nil), ("Ask Dr. Zoë", nil), ("see below", nil),
            ("...", nil),
        ])
    func links(text: String, address: String?) throws {
        let json = String(decoding: try JSONEncoder().encode(["id": "a", "name": "b", "logoUrl": text]), as: UTF8.self)
        let organization = try decode(Organization.self, json)
        #expect(organization.logoLink == text && organization.logoURL?.absoluteString == address)
    }

    @Test("Settings decode with a new namespace, new flags, and an empty date")
    func settings() throws {
        let older = try read(ProjectDataCollectionSettings.self, "datacollectionsettings_200")
        let newer = try read(ProjectDataCollectionSettings.self, "datacollectionsettings_newer_200")
        #expect(older.fitbitEnabled && older.weatherEnabled && !older.ehrEnabled && !older.airQualityEnabled)
        #expect(
            older.queryableDeviceDataTypes == [
                QueryableDeviceDataType(namespace: .appleHealth, type: "RestingHeartRate"),
                QueryableDeviceDataType(namespace: .weatherBit, type: "Forecast"),
                QueryableDeviceDataType(namespace: .garmin, type: "Steps"),
            ])
        #expect(older.sensorDataCollectionEndDate == Date(timeIntervalSince1970: 1_738_364_400))
        #expect(newer.sensorDataCollectionEndDate == nil && newer.queryableDeviceDataTypes.isEmpty)
        #expect(newer.enabled["omronEnabled"] == false && newer.ouraEnabled == true && newer.garminEnabled == false)
        #expect(newer.googleHealthEnabled == false && newer.healthConnectEnabled == true)
        #expect(newer.dexcomEnabled == false)
        let absent = [
            older.googleHealthEnabled, older.healthConnectEnabled, older.ouraEnabled, older.dexcomEnabled,
            older.garminEnabled,
        ]
        #expect(absent == Array(repeating: nil, count: 5))
        #expect(newer.enabled.count == 13)
    }

    @Test("Failed notifications and a notification of an unknown type are decoded")
    func oddNotifications() throws {
        let failures = try read(NotificationHistoryPage.self, "notifications_failures_200")
        let unknown = try read(NotificationHistoryPage.self, "notifications_unknown_type_200")
        #expect(failures.unreadable.isEmpty && failures.nextPageID == nil)
        #expect(failures.map(\.content) == [.sms(nil), .email(nil), .push(nil), .push(nil)])
        #expect(
            failures.map(\.statusCode) == [
                .missingContactInfo, .unsubscribed, NotificationSendStatusCode(rawValue: "serviceError"),
                .pastNotificationEndDate,
            ])
        #expect(unknown.isEmpty && unknown.unreadable.isEmpty && unknown.others.map(\.type) == ["WhatsApp"])
        #expect(unknown.others.map(\.statusCode.rawValue) == ["Queued"] && unknown.others[0].identifier == "Chat")
        #expect(try unknown.others[0].sentDate == timestamp("2024-03-02T06:00:00Z"))
        #expect(unknown.others[0].content == .object(["body": .string("Hej"), "media": .array([.integer(1)])]))
    }
}
