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

    @Test("A setting that is neither true nor false loses no other, and is unreadable")
    func settings() throws {
        let settings = try reply(
            ProjectDataCollectionSettings.self,
            #"{"fitbitEnabled": "yes", "garminEnabled": "on", "ehrEnabled": [], "newEnabled": 1}"#)
        #expect(settings.enabled == ["fitbitEnabled": true, "newEnabled": true])
        #expect(
            settings.unreadable.map(\.reason) == [
                "ehrEnabled is neither true nor false", "garminEnabled is neither true nor false",
            ])
    }

    @Test("Every identifier and every type may be a number; that of an account may be digits")
    func identifiers() throws {
        let dates = #""insertedDate": "2024-03-02T06:05:11Z", "modifiedDate": "2024-03-02T06:05:11Z""#
        let info = try reply(
            ParticipantInfo.self, #"{"participantID": 12, "projectID": 13, "participantIdentifier": 14}"#)
        #expect(info.participantID.value == "12" && info.projectID.value == "13")
        let project = try reply(
            ProjectInfo.self, #"{"id": 1, "name": "n", "organization": {"id": 2, "name": "o"}}"#)
        #expect(project.id.value == "1" && project.organization.id.value == "2")
        let points = try reply(
            DeviceDataResultPage.self,
            """
            {"deviceDataPoints": [{"id": 1, "namespace": 2, "type": 3, "value": 4, \(dates)}]}
            """)
        #expect(points.first?.id.value == "1" && points.first?.type == "3", "\(points.unreadable)")
        let tasks = try reply(
            SurveyTaskResultPage.self,
            """
            {"surveyTasks": [{"id": 1, "surveyID": 2, "surveyName": 3, "status": 4, \(dates)}]}
            """)
        #expect(tasks.first?.id.value == "1", "\(tasks.unreadable)")
        let answers = try reply(
            SurveyAnswersPage.self,
            """
            {"surveyAnswers": [{"id": 1, "surveyResultID": 2, "surveyID": 3, "surveyName": 4, "stepIdentifier": 5,
                                "answers": [], \(dates)}]}
            """)
        #expect(answers.first?.id.value == "1", "\(answers.unreadable)")
        let notifications = try reply(
            NotificationHistoryPage.self,
            """
            {"notifications": [{"id": 1, "identifier": 2, "sentDate": "2024-03-02T06:05:11Z", "statusCode": 3,
                                "type": "Sms"}]}
            """)
        #expect(notifications.first?.id.value == "1", "\(notifications.unreadable)")
        let accounts = try reply(
            [ExternalAccount].self,
            #"[{"id": "17", "status": "fetchComplete", "provider": {"id": "18", "name": "P"}}]"#)
        #expect(accounts.first?.id.value == 17 && accounts.first?.provider.id.value == 18)
    }

    @Test("An odd flag, date, or number of what nothing depends on is missing, and loses no item")
    func odd() throws {
        let dates = #""insertedDate": "2024-03-02T06:05:11Z", "modifiedDate": "2024-03-02T06:05:11Z""#
        let tasks = try reply(
            SurveyTaskResultPage.self,
            """
            {"surveyTasks": [{"id": "a", "surveyID": "s", "surveyName": "n", "status": "incomplete", \(dates),
                              "hasSavedProgress": "perhaps", "dueDate": "soon", "startDate": 7, "endDate": {}}]}
            """)
        #expect(tasks.first?.hasSavedProgress == false && tasks.first?.dueDate == nil, "\(tasks.unreadable)")
        let points = try reply(
            DeviceDataResultPage.self,
            """
            {"deviceDataPoints": [{"id": "a", "namespace": "Project", "type": "t", "value": "v", \(dates),
                                   "startDate": "then", "observationDate": [], "deviceDataContextID": {}}]}
            """)
        #expect(points.first?.startDate == nil && points.count == 1, "\(points.unreadable)")
        let info = try reply(
            ParticipantInfo.self,
            """
            {"participantID": "a", "projectID": "b", "participantIdentifier": "c", "enrollmentDate": "once",
             "demographics": {"unsubscribedFromEmails": "maybe"}}
            """)
        #expect(info.enrollmentDate == nil && !info.demographics.isUnsubscribedFromEmails)
    }
}
