import Foundation

/// A list of the participant's data: its route, initial items, and filters.
struct ParticipantList: Sendable {
    typealias Item = ParticipantRecords.Item

    /// The name of the items in a page and in the records.
    let name: String
    /// The last part of its path; nil if that is the name.
    var path: String?
    var scopes: Set<String> = []
    /// The field that must equal the query item with its name, which each request must have.
    var required: String?
    /// The fields that must have one of the texts of the query item with their name.
    var choices: [String] = []
    /// The fields that must equal the query item with their name, ignoring case.
    var texts: [String] = []
    /// The fields with dates between those of two query items, by how the names of these begin.
    var dates: [String: String] = [:]
    /// Whether the query may ask for the opposite order.
    var isSorted = false
    let firstItems: @Sendable (Date) -> [Item]
}

extension ParticipantList {
    /// All lists; a new one requires no other change.
    static let all = [points, tasks, answers, notifications]

    static let points = ParticipantList(
        name: "deviceDataPoints", path: "devicedata", required: "namespace", choices: ["type"],
        dates: ["observed": "observationDate", "modified": "modifiedDate"], firstItems: DeviceRecords.points)

    static let tasks = ParticipantList(
        name: "surveyTasks", path: "surveytasks", scopes: [ParticipantScope.tasks],
        choices: ["status", "surveyName"], texts: ["surveyID", "linkIdentifier"], isSorted: true,
        firstItems: { SurveyRecords.make(until: $0).tasks })

    static let answers = ParticipantList(
        name: "surveyAnswers", path: "surveyanswers", scopes: [ParticipantScope.answers],
        choices: ["surveyName", "stepIdentifier", "resultIdentifier", "answer"], texts: ["surveyID", "surveyResultID"],
        dates: ["": "date", "inserted": "insertedDate"], firstItems: { SurveyRecords.make(until: $0).answers })

    static let notifications = ParticipantList(
        name: "notifications", scopes: [ParticipantScope.notifications],
        texts: ["identifier", "type", "statusCode"], dates: ["sent": "sentDate"], firstItems: NotificationRecords.make)

    /// Returns the items that match a query, sorted.
    func select(_ items: [Item], _ query: ParticipantQuery) throws -> [Item] {
        let value = try required.map(query.required)
        if name == Self.points.name { try ParticipantBackend.requireVersion1(query) }
        let choices = choices.compactMap { name in query.texts(name).map { (name == "answer" ? "answers" : name, $0) } }
        let periods = try dates.map { beginning, field in
            try query.filter(
                field, beginning.isEmpty ? "after" : beginning + "After",
                beginning.isEmpty ? "before" : beginning + "Before")
        }
        let found = items.filter { item in
            required.map { item.text($0) == value } ?? true
                && choices.allSatisfy { field, wanted in !wanted.isDisjoint(with: item.texts(field)) }
                && texts.allSatisfy { query.matches(item, $0) } && periods.allSatisfy { $0(item) }
        }
        switch isSorted ? query.text("sortOrder") : nil {
        case nil, "Descending": return found
        case "Ascending": return found.reversed()
        default: throw ServerResponse.message("sortOrder must be Ascending or Descending.", status: 400)
        }
    }
}
