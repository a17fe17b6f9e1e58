import Foundation
import MyDataHelpsKit
import Testing

@Suite("Documentation samples: lists", .serialized)
struct SamplePageTests {
    private func at(_ seconds: TimeInterval) -> Date { Date(timeIntervalSince1970: seconds) }

    /// The IDs in the samples differ only in these places.
    private func id<Subject>(_ middle: String, _ end: String) -> ScopedIdentifier<Subject, String> {
        ScopedIdentifier("a1b2c3\(middle)-5a1c-4f2e-9b3d-00000000\(end)")
    }

    @Test("Device data decodes with nulls, every kind of date, and an unknown namespace")
    func deviceData() throws {
        let (noted, measured) = (at(1_709_374_272.131), at(1_709_208_000.1234567))
        let page = DeviceDataResultPage(
            items: [
                DeviceDataPoint(
                    id: id("0a", "1302"), namespace: .project, type: "SymptomLog",
                    value: #"{"cough":2,"note":"🤧"}"#, observationDate: at(1_709_374_260.5), insertedDate: noted),
                DeviceDataPoint(
                    id: id("0b", "134f"), namespace: .appleHealth, type: "RestingHeartRate", value: "57",
                    units: "count/min", identifier: "hk-8841", properties: ["Metadata_Locale": "sv_SE"],
                    source: DeviceDataPointSource(
                        identifier: "com.apple.health.4F1C",
                        properties: ["SourceName": "Zoës klocka ⌚️", "SourceVersion": "10.3"]),
                    startDate: at(1_709_269_200), observationDate: at(1_709_355_521), insertedDate: at(1_709_337_599),
                    modifiedDate: at(1_709_337_600.07), deviceDataContextID: id("0c", "139c")),
                DeviceDataPoint(
                    id: id("0d", "13e9"), namespace: DeviceDataNamespace(rawValue: "BrandNewWearable"), type: "Aura",
                    value: "", units: "", properties: ["level": "3"], startDate: at(1_709_208_000),
                    insertedDate: measured),
            ], nextPageID: DeviceDataResultPage.PageID("b2Zmc2V0PTM+L2E9PQ=="))

        #expect(try read(DeviceDataResultPage.self, "devicedata_page1_200") == page)
        #expect(
            try read(DeviceDataResultPage.self, "devicedata_empty_200") == DeviceDataResultPage(items: []))
    }

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

    @Test("Tasks decode with an unknown status, missing dates, and links")
    func tasks() throws {
        let (daily, weekly): (Survey.ID, Survey.ID) = (id("15", "1651"), id("17", "16eb"))
        let page = SurveyTaskResultPage(
            items: [
                SurveyTask(
                    id: id("14", "1604"), surveyID: daily, surveyName: "DailyMood",
                    surveyDisplayName: "Hur mår du? 🙂", surveyDescription: "One minute", status: .incomplete,
                    hasSavedProgress: true, dueDate: at(1_709_506_799.999), insertedDate: at(1_709_355_600.123),
                    modifiedDate: at(1_709_361_000)),
                SurveyTask(
                    id: id("16", "169e"), surveyID: weekly, surveyName: "Sleep, weekly",
                    surveyDisplayName: "Weekly sleep", startDate: at(1_708_844_400), endDate: at(1_708_844_671),
                    status: .complete, insertedDate: at(1_708_837_200.5), modifiedDate: at(1_708_844_672.01)),
                SurveyTask(
                    id: id("18", "1738"), surveyID: weekly, surveyName: "Sleep, weekly",
                    surveyDisplayName: "Weekly sleep", status: SurveyTaskStatus(rawValue: "paused"),
                    insertedDate: at(1_708_232_400)),
            ], nextPageID: SurveyTaskResultPage.PageID("page/2+next"))
        let older = SurveyTask(
            id: id("19", "1785"), surveyID: daily, surveyName: "DailyMood", surveyDisplayName: "Hur mår du?",
            status: .closed, dueDate: at(1_709_251_200), insertedDate: at(1_709_096_400.5),
            modifiedDate: at(1_709_251_201), linkIdentifier: "5d9a1c1e-13f8-4f4e-a7c9-2b61d0c7e0ff")

        #expect(try read(SurveyTaskResultPage.self, "surveytasks_page1_200") == page)
        #expect(
            try read(SurveyTaskResultPage.self, "surveytasks_last_200") == SurveyTaskResultPage(items: []))
        #expect(
            try read(SurveyTaskResultPage.self, "surveytasks_1x_200") == SurveyTaskResultPage(items: [older]))
    }

    @Test("Answers decode with several, one, or no texts, and without a date or a task")
    func answers() throws {
        let (weekly, result): (Survey.ID, SurveyResult.ID) = (id("17", "16eb"), id("21", "19ed"))
        let page = SurveyAnswersPage(items: [
            SurveyAnswer(
                id: id("1e", "1906"), surveyResultID: id("1f", "1953"), surveyID: id("15", "1651"), surveyVersion: 0,
                taskID: id("14", "1604"), surveyName: "DailyMood", surveyDisplayName: "Hur mår du? 🙂",
                date: at(1_709_360_109.428), stepIdentifier: "MoodStep", answers: ["7"],
                insertedDate: at(1_709_360_111.9)),
            SurveyAnswer(
                id: id("20", "19a0"), surveyResultID: result, surveyID: weekly, surveyVersion: 12,
                surveyName: "Sleep, weekly", surveyDisplayName: "Weekly sleep", date: at(1_708_844_580),
                stepIdentifier: "Form 1", resultIdentifier: "Form 1 / item, b", answers: ["Coffee, black", "Té"],
                insertedDate: at(1_708_844_672)),
            SurveyAnswer(
                id: id("22", "1a3a"), surveyResultID: result, surveyID: weekly, surveyVersion: 12,
                surveyName: "Sleep, weekly", surveyDisplayName: "Weekly sleep", stepIdentifier: "WebStep",
                answers: [], insertedDate: at(1_708_844_672.95)),
        ])

        #expect(try read(SurveyAnswersPage.self, "surveyanswers_page1_200") == page)
        #expect(try read(SurveyAnswersPage.self, "surveyanswers_empty_200") == SurveyAnswersPage(items: []))
    }

    @Test("Notifications of all kinds decode")
    func notifications() throws {
        let page = NotificationHistoryPage(
            items: [
                NotificationHistoryModel(
                    id: id("28", "1c08"), identifier: "DailyReminder", sentDate: at(1_709_359_200.52),
                    content: .push(NotificationContent.PushContent(title: "God morgon ☀️", body: "Ny enkät väntar"))),
                NotificationHistoryModel(
                    id: id("29", "1c55"), identifier: "WeeklySms", sentDate: at(1_709_312_400),
                    content: .sms(NotificationContent.SMSContent(body: "Weekly check-in: https://example.org/s/1"))),
                NotificationHistoryModel(
                    id: id("2a", "1ca2"), identifier: "Welcome", sentDate: at(1_708_421_400.1),
                    content: .email(NotificationContent.EmailContent(subject: "Välkommen!"))),
                NotificationHistoryModel(
                    id: id("2b", "1cef"), identifier: "TitleLess", sentDate: at(1_708_335_000),
                    content: .push(NotificationContent.PushContent(title: nil, body: "No title"))),
            ], nextPageID: id("2c", "1d3c"))

        #expect(try read(NotificationHistoryPage.self, "notifications_page1_200") == page)
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

    @Test("Accounts decode with an unknown status and an empty date, and providers with and without a logo")
    func accounts() throws {
        let providers = [
            ExternalAccountProvider(
                id: ExternalAccountProvider.ID(812), name: "Åre Hälsocentral",
                logoLink: "https://assets.example.org/are.png"),
            ExternalAccountProvider(
                id: ExternalAccountProvider.ID(3), name: "StepBand", category: .deviceManufacturer),
            ExternalAccountProvider(
                id: ExternalAccountProvider.ID(900), name: "Pharmacy One",
                category: ExternalAccountProviderCategory(rawValue: "Pharmacy"),
                successorID: ExternalAccountProvider.ID(901)),
        ]

        #expect(
            try read([ExternalAccount].self, "externalaccounts_200") == [
                ExternalAccount(
                    id: ExternalAccount.ID(5501), status: .fetchComplete, provider: providers[0],
                    lastRefreshDate: at(1_709_341_323)),
                ExternalAccount(id: ExternalAccount.ID(5502), status: .unauthorized, provider: providers[1]),
                ExternalAccount(
                    id: ExternalAccount.ID(5503), status: ExternalAccountStatus(rawValue: "throttled"),
                    provider: providers[2]),
            ])
        #expect(try read([ExternalAccount].self, "externalaccounts_empty_200").isEmpty)
    }
}
