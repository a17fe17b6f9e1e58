import Foundation
import MyDataHelpsKit
import Testing

@Suite("Numbers and missing titles in a participant's data")
struct WrongTypeTests {
    private func response<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
        try RawResponse(url: url("https://example.org/"), status: 200, body: Data(json.utf8)).json(type)
    }

    @Test("Custom fields keep their digits, even inside lists and objects, and a flag may be text in any case")
    func digits() throws {
        let info = try response(
            ParticipantInfo.self,
            """
            {"participantID": "a", "projectID": "b", "participantIdentifier": 42, "demographics": {"postalCode": 2139,
              "unsubscribedFromEmails": "True", "unsubscribedFromSms": true},
             "customFields": {"dose": 7.50, "flag": true, "none": null, "id": 12345678901234567890, "far": 1e400,
                              "list": [7.50, "ä/\\"", null], "map": {"z": 1.0, "a": true}}}
            """)
        #expect(
            info.customFields == [
                "dose": "7.50", "flag": "true", "id": "12345678901234567890", "far": "1e400",
                "list": #"[7.50,"ä/\"",null]"#,
                "map": #"{"a":true,"z":1.0}"#,
            ])
        #expect(info.demographics.postalCode == "2139" && info.participantIdentifier == "42")
        #expect(info.demographics.isUnsubscribedFromEmails && info.demographics.isUnsubscribedFromSMS)
    }

    @Test("Values and answers keep their digits, a null answer is left out, and a missing title becomes the name")
    func stored() throws {
        let dates = #""insertedDate": "2024-03-02T06:05:11Z", "modifiedDate": "2024-03-02T06:05:11Z""#
        let points = try response(
            DeviceDataResultPage.self,
            """
            {"deviceDataPoints": [{"id": "a", "namespace": "Project", "type": "t", "value": 7.50, \(dates), "properties": {"n": 1.10}},
                                  {"id": "b", "namespace": "Project", "type": "t", "value": null, \(dates)}]}
            """)
        #expect(points.first?.value == "7.50" && points.first?.properties == ["n": "1.10"])
        // The documentation excludes null as a value, and an empty text would be a different value.
        #expect(points.unreadable.map(\.description) == ["item 1: value is null"])
        let answers = try response(
            SurveyAnswersPage.self,
            """
            {"surveyAnswers": [{"id": "a", "surveyResultID": "r", "surveyID": "s", "surveyName": 3, "stepIdentifier": "i",
                                "surveyDisplayName": [], "answers": [7.50, null, "a"], \(dates)}]}
            """)
        #expect(answers.first?.answers == ["7.50", "a"] && answers.first?.surveyDisplayName == "3")
        let task = #"{"id": "a", "surveyID": "s", "surveyName": "n", "status": "incomplete", \#(dates)}"#
        let tasks = try response(SurveyTaskResultPage.self, #"{"surveyTasks": [\#(task)]}"#)
        #expect(tasks.first?.surveyDisplayName == "n")
    }

    @Test("A setting that is neither true nor false is reported as unreadable, and other settings are kept")
    func settings() throws {
        let settings = try response(
            ProjectDataCollectionSettings.self,
            """
            {"fitbitEnabled": "yes", "garminEnabled": "on", "ehrEnabled": [], "newEnabled": 1, "moreEnabled": {},
             "sensorTypesEnabled": ["a"], "shareEnabled": 0.5}
            """)
        #expect(settings.enabled == ["fitbitEnabled": true, "newEnabled": true])
        let none = try response(ProjectDataCollectionSettings.self, "{}")
        #expect(!none.fitbitEnabled && !none.ehrEnabled && !none.airQualityEnabled && !none.weatherEnabled)
        let names = ["ehr", "garmin", "more", "sensorTypes", "share"]
        #expect(settings.unreadable.map(\.reason) == names.map { "\($0)Enabled is neither true nor false" })
    }
}
