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
            {"participantID": "a", "projectID": "b", "participantIdentifier": "c", "demographics": {"postalCode": 2139},
             "customFields": {"dose": 7.50, "id": 12345678901234567890, "far": 1e400,
                              "list": [7.50, "ä/\\"", null], "map": {"z": 1.0, "a": true}}}
            """)
        #expect(
            info.customFields == [
                "dose": "7.50", "id": "12345678901234567890", "far": "1e400", "list": #"[7.50,"ä/\"",null]"#,
                "map": #"{"a":true,"z":1.0}"#,
            ])
        #expect(info.demographics.postalCode == "2139")
    }

    @Test("A value, a unit, and an answer may be numbers; a null among the answers is left out")
    func stored() throws {
        let dates = #""insertedDate": "2024-03-02T06:05:11Z", "modifiedDate": "2024-03-02T06:05:11Z""#
        let points = try reply(
            DeviceDataResultPage.self,
            """
            {"deviceDataPoints": [{"id": "a", "namespace": "Project", "type": "t", "value": 7.50, "identifier": 12, \(dates),
                                   "properties": {"n": 1.10}, "source": {"identifier": 5}}]}
            """)
        let point = try #require(points.first, "\(points.unreadable)")
        #expect(point.value == "7.50" && point.identifier == "12" && point.properties == ["n": "1.10"])
        #expect(point.source?.identifier == "5")
        let answers = try reply(
            SurveyAnswersPage.self,
            """
            {"surveyAnswers": [{"id": "a", "surveyResultID": "r", "surveyID": "s", "surveyName": "n", "surveyVersion": "2",
                                "stepIdentifier": "x", "surveyDisplayName": 7, "answers": [7.50, null, "a"], \(dates)}]}
            """)
        #expect(answers.first?.answers == ["7.50", "a"] && answers.first?.surveyDisplayName == "n")
    }

    @Test("What nothing depends on loses neither the page nor the reply")
    func needless() throws {
        let dates = #""insertedDate": "2024-03-02T06:05:11Z", "modifiedDate": "2024-03-02T06:05:11Z""#
        let tasks = try reply(
            SurveyTaskResultPage.self,
            """
            {"nextPageID": 12, "surveyTasks": [{"id": "a", "surveyID": "s", "surveyName": "n", "status": "incomplete", \(dates),
                              "surveyDisplayName": 7, "surveyDescription": {}, "linkIdentifier": 7}]}
            """)
        #expect(tasks.nextPageID == SurveyTaskResultPage.PageID("12"))
        #expect(throws: UnreadableReply.self) {
            try reply(SurveyTaskResultPage.self, #"{"nextPageID": {}, "surveyTasks": []}"#)
        }
        #expect(tasks.first?.surveyDisplayName == "n" && tasks.first?.linkIdentifier == nil)
        let providers = try reply(
            ExternalAccountProvidersResultPage.APIResponse.self,
            """
            {"totalExternalAccountProviders": "many", "externalAccountProviders": [
             {"id": 1, "name": "P", "category": "Provider", "logoUrl": 7, "message": {}, "successorID": "x"}]}
            """)
        #expect(providers.totalExternalAccountProviders == -1 && providers.externalAccountProviders.count == 1)
        let project = try reply(
            ProjectInfo.self,
            """
            {"id": "p", "name": "n", "description": 7, "code": 12, "type": 3, "supportEmail": [], "supportPhone": 46,
             "learnMoreLink": {}, "learnMoreTitle": 7,
             "organization": {"id": "o", "name": "n", "description": 7, "logoUrl": 7, "color": 7}}
            """)
        #expect(project.code == "12" && project.supportPhone == "46" && project.organization.color == nil)
    }

    @Test("A setting that is neither true nor false is an error where it would be false, and otherwise left out")
    func settings() throws {
        let settings = try reply(
            ProjectDataCollectionSettings.self, #"{"fitbitEnabled": "yes", "garminEnabled": "on", "newEnabled": 1}"#)
        #expect(settings.enabled == ["fitbitEnabled": true, "newEnabled": true])
        #expect(throws: UnreadableReply.self) {
            try reply(ProjectDataCollectionSettings.self, #"{"fitbitEnabled": "on"}"#)
        }
    }
}
