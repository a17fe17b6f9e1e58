import Foundation
import MyDataHelpsKit
import Testing

@Suite("Wrong types, and numbers where a participant's data is stored")
struct WrongTypeTests {
    private func reply<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
        try HTTPReply(url: url("https://example.org/"), status: 200, body: Data(json.utf8)).json(type)
    }

    @Test("Custom fields and properties keep the digits that were sent, also inside lists and objects")
    func digits() throws {
        let info = try reply(
            ParticipantInfo.self,
            """
            {"participantID": "a", "projectID": "b", "participantIdentifier": 42, "demographics": {"postalCode": 2139},
             "customFields": {"dose": 7.50, "id": 12345678901234567890, "far": 1e400,
                              "list": [7.50, "ä/\\"", null], "map": {"z": 1.0, "a": true}}}
            """)
        #expect(
            info.customFields == [
                "dose": "7.50", "id": "12345678901234567890", "far": "1e400", "list": #"[7.50,"ä/\"",null]"#,
                "map": #"{"a":true,"z":1.0}"#,
            ])
        #expect(info.demographics.postalCode == "2139" && info.participantIdentifier == "42")
    }

    @Test("A value, a unit, and an answer may be numbers; a null among the answers is left out")
    func stored() throws {
        let dates = #""insertedDate": "2024-03-02T06:05:11Z", "modifiedDate": "2024-03-02T06:05:11Z""#
        let points = try reply(
            DeviceDataResultPage.self,
            """
            {"deviceDataPoints": [{"id": "a", "namespace": "Project", "type": "t", "value": 7.50, "identifier": 12, \(dates),
                                   "properties": {"n": 1.10}, "source": {"identifier": 5}, "deviceDataContextID": 9},
                                  {"id": "b", "namespace": "Project", "type": "t", "value": null, \(dates)}]}
            """)
        let point = try #require(points.first, "\(points.unreadable)")
        #expect(point.value == "7.50" && point.identifier == "12" && point.properties == ["n": "1.10"])
        #expect(point.source?.identifier == "5" && point.deviceDataContextID?.value == "9")
        // The documentation excludes it, and an empty text is another value.
        #expect(points.unreadable.map(\.description) == ["item 1: value is null"])
        let answers = try reply(
            SurveyAnswersPage.self,
            """
            {"surveyAnswers": [{"id": "a", "surveyResultID": 1, "surveyID": 2, "surveyName": 3, "surveyVersion": "2",
                                "taskID": 4, "stepIdentifier": 5, "resultIdentifier": 6, "surveyDisplayName": [], "answers": [7.50, null, "a"], \(dates)}]}
            """)
        let answer = try #require(answers.first, "\(answers.unreadable)")
        #expect(answer.answers == ["7.50", "a"] && answer.surveyDisplayName == "3" && answer.surveyVersion == 2)
        #expect(answer.surveyResultID.value == "1" && answer.surveyID.value == "2" && answer.taskID?.value == "4")
        #expect(answer.stepIdentifier == "5" && answer.resultIdentifier == "6")
        let notifications = try reply(
            NotificationHistoryPage.self,
            """
            {"notifications": [{"id": "a", "identifier": 1, "sentDate": "2024-03-02T06:05:11Z", "statusCode": "Succeeded",
                                "type": "Push", "content": {"title": 7, "body": 7.50}}]}
            """)
        #expect(notifications.first?.identifier == "1")
        #expect(notifications.first?.content == .push(.init(title: "7", body: "7.50")))
    }

    @Test("What nothing depends on loses neither the page nor the reply")
    func needless() throws {
        let dates = #""insertedDate": "2024-03-02T06:05:11Z", "modifiedDate": "2024-03-02T06:05:11Z""#
        let tasks = try reply(
            SurveyTaskResultPage.self,
            """
            {"nextPageID": 12, "surveyTasks": [{"id": "a", "surveyID": "s", "surveyName": "n", "status": "incomplete", \(dates),
                              "surveyDisplayName": {}, "surveyDescription": {}, "linkIdentifier": 7}]}
            """)
        #expect(tasks.nextPageID == SurveyTaskResultPage.PageID("12"))
        #expect(throws: UnreadableReply.self) {
            try reply(SurveyTaskResultPage.self, #"{"nextPageID": {}, "surveyTasks": []}"#)
        }
        #expect(tasks.first?.surveyDisplayName == "n" && tasks.first?.linkIdentifier == "7")
        let providers = try reply(
            ExternalAccountProvidersResultPage.APIResponse.self,
            """
            {"totalExternalAccountProviders": "many", "externalAccountProviders": [
             {"id": 1, "name": "P", "category": [], "logoUrl": 7, "message": {}, "successorID": "x"}]}
            """)
        #expect(providers.totalExternalAccountProviders == -1 && providers.externalAccountProviders.count == 1)
        let project = try reply(
            ProjectInfo.self,
            """
            {"id": "p", "name": "n", "description": 7, "code": 12, "type": 3, "supportEmail": [], "supportPhone": 46,
             "learnMoreLink": {}, "learnMoreTitle": 7,
             "organization": {"id": "o", "name": "n", "description": 7, "logoUrl": 7, "color": {}}}
            """)
        #expect(project.code == "12" && project.supportPhone == "46" && project.organization.color == nil)
    }

    @Test("A setting that is neither true nor false is an error where it would be false, and otherwise unreadable")
    func settings() throws {
        let settings = try reply(
            ProjectDataCollectionSettings.self, #"{"fitbitEnabled": "yes", "garminEnabled": "on", "newEnabled": 1}"#)
        #expect(settings.enabled == ["fitbitEnabled": true, "newEnabled": true])
        #expect(settings.unreadable.map(\.reason) == ["garminEnabled is neither true nor false"])
        #expect(throws: UnreadableReply.self) {
            try reply(ProjectDataCollectionSettings.self, #"{"fitbitEnabled": "on"}"#)
        }
    }
}
