import Foundation

extension ParticipantBackend {
    func participant(_ request: ServerRequest) -> ServerResponse {
        let person = access.person(request.bearer)
        return .json([
            "participantID": .string(person.id), "participantIdentifier": .string(person.identifier),
            "secondaryIdentifier": "clinic-7", "linkIdentifier": .string(person.linkIdentifier),
            "projectID": .string(Self.projectID), "demographics": .object(person.demographics),
            "customFields": ["ARM": .string(person.arm), "FAVOURITE_EMOJI": "🫐", "VISITS": "3", "NOTES": ""],
            "enrollmentDate": .string(ZonedTime.text(person.enrolled(after: records.current.enrolled))),
        ])
    }

    func project(_ request: ServerRequest) -> ServerResponse {
        let isSwedish = request.headers["Accept-Language"]?.hasPrefix("sv") == true
        return .json([
            "id": .string(Self.projectID), "name": isSwedish ? "Nordisk sömnstudie" : "Nordic Sleep Study",
            "description": isSwedish ? "Sömn & ljus – en studie" : "Sleep & light – a study", "code": "NSLEEP",
            "type": "Research Study",
            "organization": [
                "id": .string(SandboxID.make(.organization, 1)), "name": "Fjäll Research", "description": nil,
                "logoUrl": "https://assets.example.org/fjall.png", "color": "#1b6e53",
            ],
            "supportEmail": "help@fjall.example.org", "supportPhone": "+46 8 555 77",
            "learnMoreLink": "https://fjall.example.org/sleep?ref=app",
            "learnMoreTitle": isSwedish ? "Läs mer" : "Read more",
        ])
    }

    func settings(_: ServerRequest) -> ServerResponse {
        let types = InitialPoints.types.map { pair -> ServerJSON in
            ["namespace": .string(pair.namespace), "type": .string(pair.type)]
        }
        return .json([
            "fitbitEnabled": true, "garminEnabled": false, "appleHealthEnabled": true, "ehrEnabled": true,
            "googleHealthEnabled": true, "healthConnectEnabled": true, "ouraEnabled": true, "dexcomEnabled": false,
            "airQualityEnabled": false, "weatherEnabled": false, "queryableDeviceDataTypes": .array(types),
            "sensorDataCollectionEndDate": "",
        ])
    }
}

/// The routes with which a service account finds the participants of its project, and reads their data.
extension ParticipantBackend {
    func listParticipants(_ request: ServerRequest) throws -> ServerResponse {
        let query = ParticipantQuery(request)
        let size = try query.integer("pageSize", in: 1...1_000, default: 100)
        let page = try query.integer("pageNumber", in: 0...1_000_000, default: 0)
        guard ["InsertedDate", nil].contains(query.text("sortBy")) else {
            throw ServerResponse.message("sortBy must be InsertedDate.", status: 400)
        }
        // `access.people` is already sorted by inserted date.
        var people = access.people.filter { person in
            query.text("query").map(person.matches) ?? true
                && query.text("segmentId").map { $0.lowercased() == person.segment } ?? true
        }
        switch query.text("sortAscending")?.lowercased() {
        case nil, "true": break
        case "false": people.reverse()
        default: throw ServerResponse.message("sortAscending must be true or false.", status: 400)
        }
        let firstEnrolled = records.current.enrolled
        return .json([
            "pageNumber": .integer(page), "totalParticipants": .integer(people.count),
            "participants": .array(
                people.dropFirst(page * size).prefix(size).map { $0.json(firstEnrolled: firstEnrolled) }),
        ])
    }

    func findParticipant(_ request: ServerRequest) throws -> ServerResponse {
        guard let person = access.people.first(where: { $0.identifier == request.parameters["participant"] }) else {
            throw ServerResponse.message("There is no such participant.", status: 404)
        }
        return .json(person.json(firstEnrolled: records.current.enrolled))
    }

    func dataTypes(_ request: ServerRequest) -> ServerResponse {
        let query = ParticipantQuery(request)
        let namespace = query.text("namespace")
        let types = query.text("enabled")?.lowercased() == "false" ? [] : InitialPoints.types
        return .json(
            .array(
                types.filter { namespace == nil || $0.namespace == namespace }.map {
                    ["namespace": .string($0.namespace), "type": .string($0.type), "enabled": true]
                }))
    }

    /// Returns the route with which a service account reads a participant's list. If the query doesn't name a
    /// participant, the first participant's list is returned. The items are the same for all participants. Returns nil
    /// if the project has no such route.
    func listForProject(_ list: ParticipantList) -> ServerRoute? {
        guard let path = list.projectPath else { return nil }
        return access.serviceRoute(path) { request in
            let query = ParticipantQuery(request)
            let name = query.text("participantIdentifier") ?? Self.participantIdentifier
            let person = access.people.first { $0.identifier == name }
            let ids: [String: ServerJSON] = [
                "participantID": .string(person?.id ?? ""), "participantIdentifier": .string(name),
            ]
            let items = try person == nil ? [] : list.select(records.current[list], query)
            return try query.page(
                list.name, of: items.map { .init(date: $0.date, json: $0.json.merging(ids) { $1 }) }, atMost: 1_000)
        }
    }
}

/// A person in the project. All people have the same data, except for their identity.
struct ProjectPerson: Sendable {
    /// The initial number of people. They are too many for a page of 200, so that clients have to read several pages.
    static let count = 240

    /// The position of the person in the order of enrollment, counted from 0.
    let number: Int
    let identifier: String
    let id: String
    let linkIdentifier: String

    /// - Parameter identifier: The participant identifier. If it is nil, the identifier is made from the number.
    init(_ number: Int, identifier: String? = nil) {
        self.number = number
        guard number > 0 else {
            self.identifier = ParticipantBackend.participantIdentifier
            id = ParticipantBackend.participantID
            linkIdentifier = ParticipantBackend.linkIdentifier
            return
        }
        self.identifier = identifier ?? "ÅRE-\(1_000 + number)"
        id = SandboxID.make(.person, number)
        linkIdentifier = SandboxID.make(.link, number)
    }

    var demographics: [String: ServerJSON] {
        guard number > 0 else { return Self.maya }
        let own: [String: ServerJSON] = [
            "email": .string("person-\(number)@example.net"), "unsubscribedFromEmails": .string("\(number % 3 == 1)"),
            "unsubscribedFromSms": .string("\(number % 5 == 1)"),
        ]
        return Self.maya.merging(own) { $1 }
    }

    /// Whether the person has left the project. The data of such a person remains.
    private var hasWithdrawn: Bool { number % 12 == 7 }

    /// The arm of the study (the group with the same treatment) that the person belongs to.
    var arm: String { number % 2 == 0 ? "B" : "A" }

    /// The ID of the segment with all people in the person's arm.
    var segment: String { SandboxID.make(.segment, number % 2) }

    func enrolled(after first: Date) -> Date { first.addingTimeInterval(Double(number) * 600) }

    /// Returns whether the person's identifier, name, or email address contains a text, ignoring case.
    func matches(_ text: String) -> Bool {
        ([identifier] + ["firstName", "lastName", "email"].compactMap { demographics[$0]?.string })
            .contains { $0.range(of: text, options: .caseInsensitive) != nil }
    }

    func json(firstEnrolled: Date) -> ServerJSON {
        let enrolled = enrolled(after: firstEnrolled)
        return [
            "id": .string(id), "enrolled": .bool(!hasWithdrawn),
            "enrollmentDate": .string(ZonedTime.text(enrolled, hoursEast: 0)),
            "withdrawDate": hasWithdrawn
                ? .string(ZonedTime.text(enrolled.addingTimeInterval(30 * 86_400), hoursEast: 0)) : nil,
            "insertedDate": .string(ZonedTime.text(enrolled.addingTimeInterval(-3 * 86_400), hoursEast: 0)),
            "invitationStatus": nil, "participantIdentifier": .string(identifier), "secondaryIdentifier": nil,
            "linkIdentifier": .string(linkIdentifier), "demographics": .object(demographics),
            "customFields": ["ARM": .string(arm)], "excludeFromExport": .bool(number % 7 == 3),
            "accountEmail": demographics["email"] ?? nil, "accountMobilePhone": nil,
        ]
    }

    private static let maya: [String: ServerJSON] = [
        "email": "maya.lindqvist@example.net", "mobilePhone": "+46 70 555 01 23", "firstName": "Maya",
        "middleName": nil, "lastName": "Lindqvist", "street1": "Björkvägen 4", "street2": "", "city": "Åre",
        "postalCode": "837 52", "dateOfBirth": "1987-02-28", "preferredLanguage": "sv", "gender": "F",
        "utcOffset": "+01:00:00", "timeZone": "Europe/Stockholm", "unsubscribedFromEmails": "false",
        "unsubscribedFromSms": "true",
    ]
}

struct ParticipantRecords: Sendable {
    /// The JSON of an item, and the date by which the item is sorted.
    struct Item: Sendable {
        var date: Date
        var json: [String: ServerJSON]

        func text(_ name: String) -> String? { json[name]?.string }
        /// Returns the texts of a field that has either a list of texts or a single text.
        func texts(_ name: String) -> [String] {
            json[name]?.array?.compactMap(\.string) ?? text(name).map { [$0] } ?? []
        }
        func timestamp(_ name: String) -> Date? { text(name).flatMap(ZonedTime.parse) }
    }

    struct Account: Sendable {
        let id: Int
        let provider: Providers.Provider
        var status: String
        var lastRefresh: Date?
        /// The number of times that the list of accounts will still show the account as fetching data.
        var pollsLeft = 0
    }

    let enrolled: Date
    var deviceDataV2: DeviceDataV2
    var accounts: [Account]
    /// The pending authorizations of connections to providers, by their tickets. Each ticket works once.
    var tickets: [String: (provider: Providers.Provider, redirect: String)] = [:]
    /// The items of each list, newest first, by the name of the list.
    private var items: [String: [Item]] = [:]
    private var lastNumber = 0

    init(now: Date, isEmpty: Bool) {
        enrolled = now.addingTimeInterval(-120 * 86_400)
        deviceDataV2 = DeviceDataV2(isEmpty: isEmpty)
        accounts = Providers.accounts(now: now)
        for list in ParticipantList.all where !isEmpty {
            items[list.name] = list.firstItems(now).sorted { $0.date > $1.date }
        }
    }

    subscript(list: ParticipantList) -> [Item] {
        get { items[list.name, default: []] }
        set { items[list.name] = newValue }
    }

    /// Inserts an item at its position by date. If there is an item with the same ID, replaces it.
    mutating func put(_ item: Item, into list: ParticipantList) {
        self[list].removeAll { $0.json["id"] == item.json["id"] }
        self[list].insert(item, at: self[list].firstIndex { $0.date <= item.date } ?? self[list].count)
    }

    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }
}
