import Foundation
import MyDataHelpsKit
import Testing

@Suite("Documentation samples: lists", .serialized)
struct SamplePageTests {
    @Test("Points to store are encoded as in the documentation")
    func persisting() throws {
        let points = [
            DeviceDataPointPersistModel(
                identifier: "walk-2024-03-02", type: "Walk", value: "38", units: "min",
                properties: ["surface": "snow ❄️", "with,comma": "yes"],
                source: DeviceDataPointSource(identifier: "se.example.walks", properties: ["appVersion": "1.4"]),
                startDate: try moment("2024-03-02T10:00:00+01:00"),
                observationDate: try moment("2024-03-02T09:38:00Z")),
            DeviceDataPointPersistModel(identifier: nil, type: "MoodTap", value: "ok"),
        ]

        let written = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(points))

        #expect(try written == read(JSONValue.self, "devicedata_persist_request"))
    }

    @Test("Notifications that failed decode, and so does one of an unknown kind")
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
        #expect(try unknown.others[0].sentDate == moment("2024-03-02T06:00:00Z"))
        #expect(unknown.others[0].content == .object(["body": .string("Hej"), "media": .array([.integer(1)])]))
    }
}
