import Foundation

/// A list of the participant's data. It declares the route of the list, its initial items, and its filters.
struct ParticipantList: Sendable {
    typealias Item = ParticipantRecords.Item

    /// The name of the list. Pages and the records store the items under this name.
    let name: String
    /// The last component of the path of the participant's route.
    let path: String
    /// The last component of the path of the project's route, which a service account uses; nil if there is no such
    /// route.
    var projectPath: String?
    var scopes: Set<String> = []
    /// The field that must equal the query item of the same name. Every request must have this query item.
    var required: String?
    /// Throws the response to a query that the service refuses for other reasons.
    var check: @Sendable (ParticipantQuery) throws -> Void = { _ in }
    /// The query items that list several texts. The field must have one of them.
    var choices: [(query: String, field: String)] = []
    /// The fields that are filtered by a query item of the same name. A field must equal the query item, ignoring case.
    var texts: [String] = []
    /// The fields with a date, which must be between the dates of two query items.
    var dates: [(field: String, after: String, before: String)] = []
    /// Whether a query item may reverse the order of the items.
    var isSorted = false
    let firstItems: @Sendable (Date) -> [Item]
}

extension ParticipantList {
    /// All lists. The routes are made from these, so to add a list, you only have to add it here.
    static let all = [points, tasks, answers, notifications]

    static let points = ParticipantList(
        name: "deviceDataPoints", path: "devicedata", projectPath: "devicedatapoints", required: "namespace",
        check: ParticipantBackend.requireVersion1, choices: [(query: "type", field: "type")],
        dates: [
            (field: "observationDate", after: "observedAfter", before: "observedBefore"),
            (field: "modifiedDate", after: "modifiedAfter", before: "modifiedBefore"),
        ], firstItems: InitialPoints.points)

    static let tasks = ParticipantList(
        name: "surveyTasks", path: "surveytasks", projectPath: "surveytasks", scopes: [ParticipantScope.tasks],
        choices: [(query: "status", field: "status"), (query: "surveyName", field: "surveyName")],
        texts: ["surveyID", "linkIdentifier"], isSorted: true, firstItems: { InitialSurveys.make(until: $0).tasks })

    static let answers = ParticipantList(
        name: "surveyAnswers", path: "surveyanswers", projectPath: "surveyanswers", scopes: [ParticipantScope.answers],
        choices: [
            (query: "surveyName", field: "surveyName"), (query: "stepIdentifier", field: "stepIdentifier"),
            (query: "resultIdentifier", field: "resultIdentifier"), (query: "answer", field: "answers"),
        ], texts: ["surveyID", "surveyResultID"],
        dates: [
            (field: "date", after: "after", before: "before"),
            (field: "insertedDate", after: "insertedAfter", before: "insertedBefore"),
        ], firstItems: { InitialSurveys.make(until: $0).answers })

    static let notifications = ParticipantList(
        name: "notifications", path: "notifications", scopes: [ParticipantScope.notifications],
        texts: ["identifier", "type", "statusCode"],
        dates: [(field: "sentDate", after: "sentAfter", before: "sentBefore")], firstItems: InitialNotifications.make)

    /// Returns the items that match a query, in the order that the query asks for.
    func select(_ items: [Item], _ query: ParticipantQuery) throws -> [Item] {
        let value = try required.map(query.required)
        try check(query)
        let choices = choices.compactMap { choice in query.texts(choice.query).map { (choice.field, $0) } }
        let periods = try dates.map { try query.filter($0.field, $0.after, $0.before) }
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

struct ParticipantQuery {
    private let request: ServerRequest

    init(_ request: ServerRequest) { self.request = request }

    func text(_ name: String) -> String? { request.queryText(name) }

    func required(_ name: String) throws -> String {
        guard let text = text(name) else { throw ServerResponse.message("\(name) is required.", status: 400) }
        return text
    }

    /// Returns the values in a comma-separated query item; nil if the query doesn't have the item. A comma inside a
    /// value is written `\,`.
    func texts(_ name: String) -> Set<String>? {
        text(name).map { joined in
            // Before the text is split, each escaped comma is replaced with a null character, which no text contains.
            let texts = joined.replacingOccurrences(of: "\\,", with: "\0").components(separatedBy: ",")
            return Set(texts.map { $0.replacingOccurrences(of: "\0", with: ",") })
        }
    }

    func timestamp(_ name: String) throws -> Date? {
        guard let text = text(name) else { return nil }
        guard let date = ZonedTime.parse(text) else {
            throw ServerResponse.message("\(name) is not a date and time with a zone: \(text)", status: 400)
        }
        return date
    }

    /// Returns the number in a query item, or the default value if the query doesn't have the item. Throws a 400 if the
    /// query item is not a number in the range.
    func integer(_ name: String, in range: ClosedRange<Int>, default value: Int) throws -> Int {
        guard let text = text(name) else { return value }
        guard let number = Int(text), range.contains(number) else {
            throw ServerResponse.message(
                "\(name) must be a number from \(range.lowerBound) to \(range.upperBound).", status: 400)
        }
        return number
    }

    /// Returns whether the fields of an item equal the query items with these names, ignoring case. If a query item is
    /// missing, its field may have any text.
    func matches(_ item: ParticipantRecords.Item, _ names: String...) -> Bool {
        names.allSatisfy { name in text(name).map { $0.lowercased() == item.text(name)?.lowercased() } ?? true }
    }

    /// Returns a filter for items whose date is between the dates of two query items. Both of these dates are
    /// exclusive.
    func filter(
        _ name: String, _ after: String, _ before: String
    ) throws -> (ParticipantRecords.Item) -> Bool {
        let (first, last) = (try timestamp(after), try timestamp(before))
        guard first != nil || last != nil else { return { _ in true } }
        return { item in
            item.timestamp(name).map { $0 > first ?? .distantPast && $0 < last ?? .distantFuture } ?? false
        }
    }
}

extension ParticipantQuery {
    /// Returns the page of the items that the query asks for, with the ID of the next page.
    func page(_ name: String, of items: [ParticipantRecords.Item], atMost most: Int = 100) throws -> ServerResponse {
        let limit = try integer("limit", in: 1...most, default: 100)
        var start = 0
        if let id = text("pageID") {
            guard let index = index(in: id) else {
                throw ServerResponse.message("pageID does not belong to this query.", status: 400)
            }
            start = min(index, items.count)
        }
        let end = min(items.count, start + limit)
        return .json([
            name: .array(items[start..<end].map { .object($0.json) }),
            "nextPageID": end < items.count ? .string(id(at: end)) : nil,
        ])
    }

    /// Returns the ID of a page. It contains the other query items. So a client that asks for the page with different
    /// filters gets an error.
    private func id(at index: Int) -> String {
        let items = request.queryItems.filter { $0.name != "pageID" }.map { "\($0.name)=\($0.value ?? "")" }.sorted()
        return "page/\(index)+\(Data(items.joined(separator: "&").utf8).base64EncodedString())"
    }

    private func index(in id: String) -> Int? {
        guard id.hasPrefix("page/"), let index = Int(id.dropFirst(5).prefix { $0 != "+" }), self.id(at: index) == id
        else { return nil }
        return index
    }
}
