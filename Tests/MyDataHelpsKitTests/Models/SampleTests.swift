import Foundation
import MyDataHelpsKit
import Testing

@Suite("The documentation's samples, read")
struct SampleTests {
    @Test("A participant, whole")
    func participant() throws {
        let info = try read(ParticipantInfo.self, "participant_200")

        #expect(info.participantID.value == "7B1D4C1E-0A55-4E6B-9C57-0F6B2B6E9A10")
        #expect(info.participantIdentifier == "ÅRE-0042")
        #expect(info.secondaryIdentifier == "clinic-7")
        #expect(info.linkIdentifier == nil)
        #expect(info.demographics.firstName == "Zoë")
        #expect(info.demographics.middleName == nil && info.demographics.street2 == "")
        #expect(info.demographics.dateOfBirth == "1987-02-28")
        #expect(info.demographics.gender == .female)
        #expect(!info.demographics.isUnsubscribedFromEmails && info.demographics.isUnsubscribedFromSMS)
        #expect(info.customFields == ["ARM": "B", "FAVOURITE_EMOJI": "🫐", "VISITS": "3", "NOTES": ""])
        #expect(info.enrollmentDate == Date(timeIntervalSince1970: 1_699_172_042.7))
        #expect(info.projectID.value == "2c7a5b7e-3f0d-4d7c-8a39-5d7f2f2a6b41")
    }

    @Test("A participant of whom little is known, and one with a link, an unknown gender and a null field")
    func sparseParticipants() throws {
        let minimal = try read(ParticipantInfo.self, "participant_minimal_200")
        let older = try read(ParticipantInfo.self, "participant_1x_200")

        #expect(minimal.demographics == ParticipantDemographics() && minimal.customFields.isEmpty)
        #expect(older.linkIdentifier == "c0f1b5d2-77aa-4b0e-8f06-9c3f2d1e4a55")
        #expect(older.demographics.gender == ParticipantGender(rawValue: "X"))
        #expect(older.customFields.isEmpty && older.enrollmentDate == nil)
    }

    @Test("Custom fields that are no text are kept as JSON, and flags in any capitals or as booleans are flags")
    func odd() throws {
        let info = try decode(
            ParticipantInfo.self,
            """
            {"participantID": "a", "projectID": "b", "participantIdentifier": "c",
             "demographics": {"unsubscribedFromEmails": "True", "unsubscribedFromSms": true},
             "customFields": {"n": 3, "f": 2.5, "b": true, "o": {"y": [1], "x": "/"}, "z": null}}
            """)

        #expect(info.customFields == ["n": "3", "f": "2.5", "b": "true", "o": #"{"x":"/","y":[1]}"#])
        #expect(info.demographics.isUnsubscribedFromEmails && info.demographics.isUnsubscribedFromSMS)
    }

    @Test("A project, whole and sparse")
    func project() throws {
        let whole = try read(ProjectInfo.self, "project_200")
        let sparse = try read(ProjectInfo.self, "project_sparse_200")

        #expect(whole.name == "Nordic Sleep Study" && whole.code == "NSLEEP")
        #expect(whole.type == .researchStudy)
        #expect(whole.organization.logoURL?.absoluteString == "https://assets.example.org/fjall.png")
        #expect(whole.organization.color == "#1b6e53" && whole.organization.description == nil)
        #expect(whole.learnMoreURL?.query == "ref=app" && whole.learnMoreTitle == "Läs mer")
        #expect(sparse.type == ProjectType(rawValue: "Employer Program"))
        #expect(sparse.organization.logoURL == nil && sparse.organization.color == nil)
        #expect(sparse.learnMoreURL == nil && sparse.description == nil && sparse.code.isEmpty)
    }

    @Test("Settings with a namespace and flags that are new, and an empty date")
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
        #expect(newer.enabled["ouraEnabled"] == true && newer.enabled["garminEnabled"] == false)
        #expect(newer.enabled.count == 13)
    }

    @Test("Device data with nulls, every kind of date, and an unknown namespace")
    func deviceData() throws {
        let page = try read(DeviceDataResultPage.self, "devicedata_page1_200")

        #expect(page.count == 3 && page.unreadable.isEmpty)
        #expect(page.nextPageID?.value == "b2Zmc2V0PTM+L2E9PQ==")
        #expect(page[0].namespace == .project && page[0].value.hasPrefix(#"{"cough":2"#))
        #expect(page[0].insertedDate == Date(timeIntervalSince1970: 1_709_374_272.131))
        #expect(page[0].observationDate == Date(timeIntervalSince1970: 1_709_374_260.5))
        #expect(page[0].identifier == nil && page[0].source == nil && page[0].deviceDataContextID == nil)
        #expect(page[1].source?.properties["SourceName"] == "Zoës klocka ⌚️")
        #expect(page[1].deviceDataContextID?.value == "a1b2c30c-5a1c-4f2e-9b3d-00000000139c")
        #expect(page[1].startDate == Date(timeIntervalSince1970: 1_709_269_200))
        #expect(page[1].modifiedDate == Date(timeIntervalSince1970: 1_709_337_600.07))
        #expect(page[2].namespace.rawValue == "BrandNewWearable" && page[2].units == "" && page[2].value == "")
        #expect(page[2].insertedDate == page[2].modifiedDate)
        #expect(page[2].startDate == Date(timeIntervalSince1970: 1_709_208_000) && page[2].observationDate == nil)
        #expect(try read(DeviceDataResultPage.self, "devicedata_empty_200").isEmpty)
    }

    @Test("Points to store are written as the documentation has them")
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

    @Test("Tasks with an unknown status, missing dates and links")
    func tasks() throws {
        let page = try read(SurveyTaskResultPage.self, "surveytasks_page1_200")

        #expect(page.surveyTasks.map(\.status.rawValue) == ["incomplete", "complete", "paused"])
        #expect(page.nextPageID?.value == "page/2+next")
        #expect(page[0].hasSavedProgress && page[0].surveyDisplayName == "Hur mår du? 🙂")
        #expect(page[0].dueDate == Date(timeIntervalSince1970: 1_709_506_799.999))
        #expect(page[1].startDate == Date(timeIntervalSince1970: 1_708_844_400) && page[1].dueDate == nil)
        #expect(page[2].startDate == nil && page[2].linkIdentifier == nil)
        #expect(try read(SurveyTaskResultPage.self, "surveytasks_last_200").isEmpty)
        let older = try read(SurveyTaskResultPage.self, "surveytasks_1x_200")
        #expect(older.first?.linkIdentifier == "5d9a1c1e-13f8-4f4e-a7c9-2b61d0c7e0ff")
    }

    @Test("Answers: several, one, none; without a date or a task")
    func answers() throws {
        let page = try read(SurveyAnswersPage.self, "surveyanswers_page1_200")

        #expect(page.map(\.answers) == [["7"], ["Coffee, black", "Té"], []])
        #expect(page[0].surveyVersion == 0 && page[1].surveyVersion == 12)
        #expect(page[0].date == Date(timeIntervalSince1970: 1_709_360_109.428) && page[2].date == nil)
        #expect(page[1].taskID == nil && page[2].taskID == nil)
        #expect(page[1].stepIdentifier == "Form 1" && page[1].resultIdentifier == "Form 1 / item, b")
        #expect(page[1].surveyResultID == page[2].surveyResultID)
        #expect(try read(SurveyAnswersPage.self, "surveyanswers_empty_200").nextPageID == nil)
    }

    @Test("Notifications of all kinds, failed ones, and one of a kind nobody knows")
    func notifications() throws {
        let page = try read(NotificationHistoryPage.self, "notifications_page1_200")
        let failures = try read(NotificationHistoryPage.self, "notifications_failures_200")
        let unknown = try read(NotificationHistoryPage.self, "notifications_unknown_type_200")

        #expect(
            page.map(\.content) == [
                .push(PushContent(title: "God morgon ☀️", body: "Ny enkät väntar")),
                .sms(SMSContent(body: "Weekly check-in: https://example.org/s/1")),
                .email(EmailContent(subject: "Välkommen!")), .push(PushContent(title: nil, body: "No title")),
            ])
        #expect(page[0].sentDate == Date(timeIntervalSince1970: 1_709_359_200.52))
        #expect(failures.map(\.content) == [.sms(nil), .email(nil), .push(nil), .push(nil)])
        #expect(
            failures.map(\.statusCode) == [
                .missingContactInfo, .unsubscribed, NotificationSendStatusCode(rawValue: "serviceError"),
                .pastNotificationEndDate,
            ])
        #expect(unknown[0].type == NotificationType(rawValue: "WhatsApp"))
        #expect(
            unknown[0].content
                == .other(unknown[0].type, .object(["body": .string("Hej"), "media": .array([.integer(1)])])))
    }

    @Test("Accounts with an unknown status and an empty date; providers with and without a logo")
    func accounts() throws {
        let accounts = try read([ExternalAccount].self, "externalaccounts_200")

        #expect(
            accounts.map(\.status) == [.fetchComplete, .unauthorized, ExternalAccountStatus(rawValue: "throttled")])
        #expect(accounts.map(\.id.value) == [5501, 5502, 5503])
        #expect(accounts[0].lastRefreshDate == Date(timeIntervalSince1970: 1_709_341_323))
        #expect(accounts[1].lastRefreshDate == nil && accounts[2].lastRefreshDate == nil)
        #expect(accounts[0].provider.logoURL != nil && accounts[1].provider.logoURL == nil)
        #expect(accounts[2].provider.successorID == ExternalAccountProvider.ID(901))
        #expect(accounts[2].provider.category.rawValue == "Pharmacy")
        #expect(try read([ExternalAccount].self, "externalaccounts_empty_200").isEmpty)
    }

    @Test("One item that cannot be read costs neither the others nor the page")
    func broken() throws {
        let page = try decode(
            SurveyTaskResultPage.self,
            """
            {"surveyTasks": [{"id": "a"}, 7, {"id": "b", "surveyID": "s", "surveyName": "n", "status": "complete",
             "insertedDate": "2024-03-02T05:00:00", "modifiedDate": "2024-03-02T05:00:00Z"},
             {"id": "c", "surveyID": "s", "surveyName": "n", "status": "complete",
             "insertedDate": "2024-03-02T05:00:00Z", "modifiedDate": "2024-03-02T05:00:00Z"}], "nextPageID": ""}
            """)

        #expect(page.map(\.id.value) == ["c"])
        #expect(page.unreadable.map(\.index) == [0, 1, 2])
        #expect(page.unreadable[2].reason.hasPrefix("insertedDate"))
        #expect(page.nextPageID == nil)
    }
}
