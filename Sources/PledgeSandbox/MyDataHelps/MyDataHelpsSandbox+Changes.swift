import Foundation

/// Changes to a participant's data, for tests of synchronization.
extension MyDataHelpsSandbox {
    /// Adds an item to a list sorted by date, or replaces the one with its `id`.
    package func put(_ item: [String: ServerJSON], into list: String, at date: Date) {
        records.withLock { $0.put(ParticipantRecords.Item(date: date, json: item), into: list) }
    }

    /// Adds a data point, or replaces the one with its number.
    package func putPoint(
        _ number: Int, namespace: String, type: String, value: String, observed: Date, modified: Date
    ) {
        let id = SandboxID.make(.point, number)
        put(
            [
                "id": .string(id), "namespace": .string(namespace), "deviceDataContextID": nil,
                "insertedDate": .string(ZonedTime.text(observed)), "modifiedDate": .string(ZonedTime.text(modified)),
                "identifier": .string(id), "type": .string(type), "value": .string(value), "units": "count",
                "properties": [:], "source": nil, "startDate": nil,
                "observationDate": .string(ZonedTime.text(observed, hoursEast: 2)),
            ], into: ParticipantList.points.name, at: observed)
    }

    package func putTask(_ number: Int, status: String, inserted: Date, modified: Date) {
        put(
            [
                "id": .string(SandboxID.make(.task, number)), "surveyID": .string(SurveyRecords.daily.id),
                "surveyName": .string(SurveyRecords.daily.name), "surveyDisplayName": "Daily", "surveyDescription": "",
                "startDate": nil, "endDate": nil, "status": .string(status), "hasSavedProgress": false,
                "dueDate": nil, "insertedDate": .string(ZonedTime.text(inserted)),
                "modifiedDate": .string(ZonedTime.text(modified)),
            ], into: ParticipantList.tasks.name, at: inserted)
    }

    package func putAnswer(_ number: Int, result: Int, _ texts: [String], inserted: Date) {
        put(
            [
                "id": .string(SandboxID.make(.answer, number)),
                "surveyResultID": .string(SandboxID.make(.result, result)),
                "surveyID": .string(SurveyRecords.daily.id), "surveyVersion": 1, "taskID": nil,
                "surveyName": .string(SurveyRecords.daily.name), "surveyDisplayName": "Daily",
                "date": .string(ZonedTime.text(inserted, hoursEast: 2)), "stepIdentifier": "step",
                "resultIdentifier": "step", "answers": .array(texts.map { .string($0) }),
                "insertedDate": .string(ZonedTime.text(inserted)),
            ], into: ParticipantList.answers.name, at: inserted)
    }

    package func putNotification(_ number: Int, status: String, sent: Date) {
        put(
            [
                "id": .string(SandboxID.make(.notification, number)), "identifier": "Reminder",
                "sentDate": .string(ZonedTime.text(sent)), "statusCode": .string(status), "type": "Push",
                "content": ["title": "Hello", "body": "A survey waits"],
            ], into: ParticipantList.notifications.name, at: sent)
    }

    package func removeAnswers(result: Int) {
        let id = SandboxID.make(.result, result)
        records.withLock { $0[.answers].removeAll { $0.text("surveyResultID") == id } }
    }
}
