import Foundation

/// A list of the participant's data: its route, its first items, and the filters of its query.
struct ParticipantList: Sendable {
    typealias Item = ParticipantRecords.Item

    /// The name of the items in a page, by which the records keep them.
    let name: String
    /// The last part of the route's path.
    let path: String
    /// Returns the items that exist at a date, in any order.
    let firstItems: @Sendable (Date) -> [Item]
    /// Returns the items that a query requests, in its order.
    let select: @Sendable ([Item], ParticipantQuery) throws -> [Item]

    init(
        _ name: String, at path: String, _ firstItems: @escaping @Sendable (Date) -> [Item] = { _ in [] },
        select: @escaping @Sendable ([Item], ParticipantQuery) throws -> [Item]
    ) {
        (self.name, self.path, self.firstItems, self.select) = (name, path, firstItems, select)
    }
}

extension ParticipantList {
    /// All lists: whoever adds one adds nothing else to the sandbox.
    static let all = [points, tasks, answers, notifications]

    static let points = ParticipantList("deviceDataPoints", at: "devicedata", DeviceRecords.points) { points, query in
        let namespace = try query.required("namespace")
        let types = query.texts("type")
        return try points.filter { point in
            try point.text("namespace") == namespace && types?.contains(point.text("type") ?? "") ?? true
                && query.isBetween(point.moment("observationDate"), "observedAfter", "observedBefore")
                && query.isBetween(point.moment("modifiedDate"), "modifiedAfter", "modifiedBefore")
        }
    }

    static let tasks = ParticipantList(
        "surveyTasks", at: "surveytasks", { SurveyRecords.make(until: $0).tasks }
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
        default: throw SandboxResponse.message("sortOrder must be Ascending or Descending.", status: 400)
        }
    }

    static let answers = ParticipantList(
        "surveyAnswers", at: "surveyanswers", { SurveyRecords.make(until: $0).answers }
    ) { answers, query in
        let wanted = ["surveyName", "stepIdentifier", "resultIdentifier"].compactMap { name in
            query.texts(name).map { (name, $0) }
        }
        let texts = query.texts("answer")
        return try answers.filter { answer in
            let given = Set(answer.json["answers"]?.array?.compactMap(\.string) ?? [])
            return try wanted.allSatisfy { name, values in values.contains(answer.text(name) ?? "") }
                && query.matches(answer, "surveyID", "surveyResultID")
                && texts.map { !$0.isDisjoint(with: given) } ?? true
                && query.isBetween(answer.moment("date"), "after", "before")
                && query.isBetween(answer.moment("insertedDate"), "insertedAfter", "insertedBefore")
        }
    }

    static let notifications = ParticipantList(
        "notifications", at: "notifications", NotificationRecords.make
    ) { notifications, query in
        try notifications.filter { item in
            try query.matches(item, "identifier", "type", "statusCode")
                && query.isBetween(item.moment("sentDate"), "sentAfter", "sentBefore")
        }
    }
}
