import Foundation
import MyDataHelpsKit
import Testing

@Suite("Documentation samples: participants and projects", .serialized)
struct ParticipantSampleTests {
    @Test("A full participant decodes")
    func participant() throws {
        var person = ParticipantDemographics()
        person.email = "zoe.lindqvist@example.net"
        person.mobilePhone = "+46 70 555 01 23"
        person.firstName = "Zoë"
        person.lastName = "Lindqvist"
        person.street1 = "Björkvägen 4"
        person.street2 = ""
        person.city = "Åre"
        person.postalCode = "837 52"
        person.dateOfBirth = "1987-02-28"
        person.preferredLanguage = "sv"
        person.gender = .female
        person.utcOffset = "+01:00:00"
        person.timeZone = "Europe/Stockholm"
        person.isUnsubscribedFromSMS = true

        #expect(
            try read(ParticipantInfo.self, "participant_200")
                == ParticipantInfo(
                    participantID: ParticipantInfo.ID("7B1D4C1E-0A55-4E6B-9C57-0F6B2B6E9A10"),
                    projectID: Project.ID("2c7a5b7e-3f0d-4d7c-8a39-5d7f2f2a6b41"), participantIdentifier: "ÅRE-0042",
                    secondaryIdentifier: "clinic-7", demographics: person,
                    customFields: ["ARM": "B", "FAVOURITE_EMOJI": "🫐", "VISITS": "3", "NOTES": ""],
                    enrollmentDate: Date(timeIntervalSince1970: 1_699_172_042.7)))
    }

    @Test("A minimal participant decodes, and so does one with a link, an unknown gender, and a null field")
    func sparseParticipants() throws {
        let minimal = try read(ParticipantInfo.self, "participant_minimal_200")
        let older = try read(ParticipantInfo.self, "participant_1x_200")

        #expect(
            minimal
                == ParticipantInfo(
                    participantID: ParticipantInfo.ID("7B1D4C1E-0A55-4E6B-9C57-0F6B2B6E9A10"),
                    projectID: Project.ID("2c7a5b7e-3f0d-4d7c-8a39-5d7f2f2a6b41"), participantIdentifier: "p-1"))
        #expect(older.linkIdentifier == "c0f1b5d2-77aa-4b0e-8f06-9c3f2d1e4a55")
        #expect(older.demographics.gender == ParticipantGender(rawValue: "X"))
        #expect(older.customFields.isEmpty && older.enrollmentDate == nil)
    }

    @Test("Demographics decode from their own keys")
    func demographics() throws {
        let person = try decode(
            ParticipantDemographics.self, #"{"middleName": "M", "state": "Z", "unsubscribedFromEmails": "true"}"#)

        #expect(person.middleName == "M" && person.state == "Z" && person.isUnsubscribedFromEmails)
        #expect(!person.isUnsubscribedFromSMS && person.firstName == nil)
    }

    @Test("Custom fields that are not text are kept as JSON, and flags decode from text in any case or from Booleans")
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

    @Test("A project decodes, full or sparse")
    func project() throws {
        let id = ProjectInfo.ID("2c7a5b7e-3f0d-4d7c-8a39-5d7f2f2a6b41")
        var runner = Organization(
            id: Organization.ID("a1b2c301-5a1c-4f2e-9b3d-00000000104d"), name: "Fjäll Research",
            logoLink: "https://assets.example.org/fjall.png", color: "#1b6e53")

        #expect(
            try read(ProjectInfo.self, "project_200")
                == ProjectInfo(
                    id: id, name: "Nordic Sleep Study", description: "Sömn & ljus – en studie", code: "NSLEEP",
                    type: .researchStudy, organization: runner, supportEmail: "help@fjall.example.org",
                    supportPhone: "+46 8 555 77", learnMoreLink: "https://fjall.example.org/sleep?ref=app",
                    learnMoreTitle: "Läs mer"))
        (runner.logoLink, runner.color) = (nil, nil)
        #expect(
            try read(ProjectInfo.self, "project_sparse_200")
                == ProjectInfo(
                    id: id, name: "Pilot", type: ProjectType(rawValue: "Employer Program"), organization: runner))
    }

    @Test(
        "An address without a scheme becomes https if it names a host, and its text is always kept",
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
        #expect(newer.enabled["ouraEnabled"] == true && newer.enabled["garminEnabled"] == false)
        #expect(newer.enabled.count == 13)
    }

    @Test("A key that is only named like a flag is ignored and does not affect the settings")
    func noFlags() throws {
        let settings = try decode(
            ProjectDataCollectionSettings.self,
            #"{"fitbitEnabled": true, "sensorTypesEnabled": ["a"], "moreEnabled": {}, "shareEnabled": 0.5}"#)
        #expect(settings.enabled == ["fitbitEnabled": true] && Set(settings.unreadable.map(\.index)) == [0])
    }

    @Test("An unreadable type of data does not affect the settings and is reported")
    func brokenSettings() async throws {
        let mdh = try MyDataHelpsCase()
        defer { mdh.sandbox.stop() }
        mdh.answer("GET /api/", #"{"queryableDeviceDataTypes": [7, {"namespace": "Fitbit", "type": "Steps"}]}"#)

        let settings = try await mdh.session.getDataCollectionSettings()

        #expect(settings.queryableDeviceDataTypes == [QueryableDeviceDataType(namespace: .fitbit, type: "Steps")])
        #expect(settings.unreadable.map(\.index) == [0] && !settings.fitbitEnabled)
        #expect(mdh.unreadable.all.count == 1)
        #expect(mdh.unreadable.all.first?.hasPrefix("datacollectionsettings item 0") == true)
    }
}
