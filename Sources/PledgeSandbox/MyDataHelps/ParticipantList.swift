import Foundation

/// A list of the participant's data: its route, initial items, and filters.
struct ParticipantList: Sendable {
    typealias Item = ParticipantRecords.Item

    /// The name of the items in a page and in the records.
    let name: String
    let path: String
    var scopes: Set<String> = []
    let firstItems: @Sendable (Date) -> [Item]
    /// Returns the items that match a query, sorted.
    let select: @Sendable ([Item], ParticipantQuery) throws -> [Item]
}

extension ParticipantList {
    /// All lists; a new one requires no other change.
    static let all = [points, tasks, answers, notifications]

    static let points = ParticipantList(
        name: "deviceDataPoints", path: "devicedata", firstItems: DeviceRecords.points
    ) { points, query in
        let namespace = try query.required("namespace")
        let types = query.texts("type")
        let isObserved = try query.filter("observationDate", "observedAfter", "observedBefore")
        let isModified = try query.filter("modifiedDate", "modifiedAfter", "modifiedBefore")
        return points.filter { point in
            point.text("namespace") == namespace && types?.contains(point.text("type") ?? "") ?? true
                && isObserved(point) && isModified(point)
        }
    }

    static let tasks = ParticipantList(
        name: "surveyTasks", path: "surveytasks", scopes: [ParticipantScope.tasks],
        firstItems: { SurveyRecords.make(until: $0).tasks }
    ) { tasks, query in
        let statuses = query.texts("status")
        let names = query.texts("surveyName")
        let tasks = tasks.filter { task in
            statuses?.contains(task.text("status") ?? "") ?? true
                && names?.contains(task.text("surveyName") ?? "") ?? true
                && query.matches(task, "surveyID", "linkIdentifier")
        }
        switch query.text("sortOrder") {
        case nil, "Descending": return tasks
        case "Ascending": return tasks.reversed()
        default: throw ServerResponse.message("sortOrder must be Ascending or Descending.", status: 400)
        }
    }

    static let answers = ParticipantList(
        name: "surveyAnswers", path: "surveyanswers", scopes: [ParticipantScope.answers],
        firstItems: { SurveyRecords.make(until: $0).answers }
    ) { answers, query in
        let wanted = ["surveyName", "stepIdentifier", "resultIdentifier"].compactMap { name in
            query.texts(name).map { (name, $0) }
        }
        let texts = query.texts("answer")
        let isGiven = try query.filter("date", "after", "before")
        let isInserted = try query.filter("insertedDate", "insertedAfter", "insertedBefore")
        return answers.filter { answer in
            let given = Set(answer.json["answers"]?.array?.compactMap(\.string) ?? [])
            return wanted.allSatisfy { name, values in values.contains(answer.text(name) ?? "") }
                && query.matches(answer, "surveyID", "surveyResultID")
                && texts.map { !$0.isDisjoint(with: given) } ?? true && isGiven(answer) && isInserted(answer)
        }
    }

    static let notifications = ParticipantList(
        name: "notifications", path: "notifications", scopes: [ParticipantScope.notifications],
        firstItems: NotificationRecords.make
    ) { notifications, query in
        let isSent = try query.filter("sentDate", "sentAfter", "sentBefore")
        return notifications.filter { query.matches($0, "identifier", "type", "statusCode") && isSent($0) }
    }
}
