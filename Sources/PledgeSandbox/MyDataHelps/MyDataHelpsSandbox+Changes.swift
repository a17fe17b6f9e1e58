import Foundation

/// Changes to a participant's data, for tests of synchronization.
extension MyDataHelpsSandbox {
    private func put(_ item: ParticipantRecords.Item, into list: ParticipantList) {
        records.withLock { $0.put(item, into: list) }
    }

    /// Adds a data point, or replaces the one with its number.
    package func putPoint(
        _ number: Int, namespace: String, type: String, value: String, observed: Date, modified: Date
    ) {
        let second = Int(observed.timeIntervalSince1970.rounded(.down))
        var point = DeviceRecords.point(namespace, type, number: number, at: second, value, "count")
        point.json["id"] = .string(SandboxID.make(.point, number))
        point.json["insertedDate"] = .string(ZonedTime.text(observed))
        point.json["modifiedDate"] = .string(ZonedTime.text(modified))
        put(point, into: .points)
    }

    package func putTask(_ number: Int, status: String, inserted: Date, modified: Date) {
        put(SurveyRecords.task(.daily, number: number, status, assigned: inserted, changed: modified), into: .tasks)
    }

    package func putAnswer(_ number: Int, result: Int, _ texts: [String], inserted: Date) {
        var answer = SurveyRecords.answer(.daily, number: number, task: result, "step", texts, given: inserted)
        answer.json["insertedDate"] = .string(ZonedTime.text(inserted))
        put(answer, into: .answers)
    }

    package func putNotification(_ number: Int, status: String, sent: Date) {
        let content: ServerJSON = ["title": "Hello", "body": "A survey waits"]
        put(NotificationRecords.item(number, "Reminder", "Push", status, content, sent: sent), into: .notifications)
    }

    package func removeAnswers(result: Int) {
        let id = SandboxID.make(.result, result)
        records.withLock { $0[.answers].removeAll { $0.text("surveyResultID") == id } }
    }
}
