import Foundation

/// Routes with which a service account finds the participants of its project.
extension ParticipantBackend {
    func listParticipants(_ request: ServerRequest) throws -> ServerResponse {
        try checkProject(request)
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
        try checkProject(request)
        guard let person = access.people.first(where: { $0.identifier == request.parameters["participant"] }) else {
            throw ServerResponse.message("There is no such participant.", status: 404)
        }
        return .json(person.json(firstEnrolled: records.current.enrolled))
    }

    private func checkProject(_ request: ServerRequest) throws {
        guard request.parameters["project"]?.lowercased() == Self.projectID else {
            throw ServerResponse.message("There is no such project.", status: 404)
        }
    }
}
