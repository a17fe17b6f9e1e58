import Foundation

/// Routes with which a service account finds the participants of its project.
extension ParticipantBackend {
    func listParticipants(_ request: ServerRequest) throws -> ServerResponse {
        let query = ParticipantQuery(request)
        let size = try query.integer("pageSize", in: 1...1_000, default: 100)
        let page = try query.integer("pageNumber", in: 0...1_000_000, default: 0)
        guard ["InsertedDate", nil].contains(query.text("sortBy")) else {
            throw ServerResponse.message("sortBy must be InsertedDate.", status: 400)
        }
        // `access.people` is already in this order.
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
        let types = query.text("enabled")?.lowercased() == "false" ? [] : DeviceRecords.types
        return .json(
            .array(
                types.filter { namespace == nil || $0.namespace == namespace }.map {
                    ["namespace": .string($0.namespace), "type": .string($0.type), "enabled": true]
                }))
    }

    /// Returns the route of a list for a service account: of one participant, or else of the first, as all share it.
    func listForProject(_ list: ParticipantList) -> ServerRoute {
        let path = list.name == ParticipantList.points.name ? "devicedatapoints" : list.path ?? list.name
        return access.serviceAccounts(path) { request in
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
