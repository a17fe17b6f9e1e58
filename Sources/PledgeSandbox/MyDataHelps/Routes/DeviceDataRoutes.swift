import Foundation

extension ParticipantBackend {
    func storePoints(_ request: ServerRequest) throws -> ServerResponse {
        guard let sent = request.json?.array else {
            throw ServerResponse.message("The body must be a list of points.", status: 400)
        }
        // Check every point before storing any.
        let points = try sent.map(Self.checked)
        let now = now()
        records.withLock { records in
            for point in points { Self.store(point, in: &records, at: now) }
        }
        return .empty(200)
    }

    private static func checked(_ point: ServerJSON) throws -> [String: ServerJSON] {
        guard let point = point.object, point["type"]?.string?.isEmpty == false, point["value"]?.string != nil else {
            throw ServerResponse.message("A point needs a type and a value, both text.", status: 400)
        }
        for name in ["startDate", "observationDate"] {
            guard let value = point[name], value != .null else { continue }
            guard value.string.flatMap(ZonedTime.parse) != nil else {
                throw ServerResponse.message("\(name) is not a date and time with a zone.", status: 400)
            }
        }
        return point
    }

    /// Stores a point; one with the same identifier, type, and dates is replaced, keeping its ID and inserted date.
    private static func store(
        _ sent: [String: ServerJSON], in records: inout ParticipantRecords, at now: Date
    ) {
        func key(_ json: [String: ServerJSON]) -> [ServerJSON] {
            ["identifier", "type"].map { json[$0] ?? nil }
                + ["startDate", "observationDate"].map { name in
                    json[name]?.string.flatMap(ZonedTime.parse).map { .string(ZonedTime.text($0)) } ?? nil
                }
        }
        let old = records[.points].first { point in
            point.text("namespace") == "Project" && key(point.json) == key(sent)
        }?.json
        let stamp = ServerJSON.string(ZonedTime.text(now))
        var json: [String: ServerJSON] = ["deviceDataContextID": nil, "properties": [:], "source": nil, "units": nil]
        for name in ["identifier", "type", "value", "units", "properties", "source", "startDate", "observationDate"] {
            json[name] = sent[name] ?? json[name] ?? nil
        }
        json["namespace"] = "Project"
        json["modifiedDate"] = stamp
        json["insertedDate"] = old?["insertedDate"] ?? stamp
        json["id"] = old?["id"] ?? .string(SandboxID.make(.point, 900_000_000 + records.nextNumber()))
        let date = json["observationDate"]?.string.flatMap(ZonedTime.parse) ?? now
        records.put(ParticipantRecords.Item(date: date, json: json), into: .points)
    }
}
