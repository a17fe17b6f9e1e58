import Foundation

extension ParticipantBackend {
    func storePoints(_ request: ServerRequest) throws -> ServerResponse {
        guard let sent = request.json?.array else {
            throw ServerResponse.message("The body must be a list of points.", status: 400)
        }
        // Checks all points before storing any of them.
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

    /// Stores a point. If there is a point with the same identifier, type, and dates, the new point replaces it, but
    /// keeps its ID and its inserted date.
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

/// The initial device data. It comes from two trackers, and once a week from a blood pressure cuff.
enum InitialPoints {
    static let types: [(namespace: String, type: String)] = [
        ("Fitbit", "Steps"), ("Fitbit", "RestingHeartRate"), ("Fitbit", "SleepMinutes"), ("AppleHealth", "Steps"),
        ("AppleHealth", "HeartRate"), ("AppleHealth", "BloodPressureSystolic"),
        ("AppleHealth", "BloodPressureDiastolic"),
    ]

    static func points(until now: Date) -> [ParticipantRecords.Item] {
        let today = Int((now.timeIntervalSince1970 / 86_400).rounded(.down))
        var points: [ParticipantRecords.Item] = []
        for day in today - 60..<today {
            points += dailyPoints(day)
        }
        for hour in (today - 14) * 8..<today * 8 {
            let rate = 62 + 9 * DayNoise.normal(.restingPulse, hour)
            points.append(
                point(
                    "AppleHealth", "HeartRate", number: hour, at: hour * 10_800, "\(Int(rate.rounded()))", "count/min"))
        }
        return points.filter { $0.date <= now }
    }

    private static func dailyPoints(_ day: Int) -> [ParticipantRecords.Item] {
        // The participant's clock is one hour ahead of UTC, so the participant's day ends one hour before midnight in
        // UTC.
        let end = day * 86_400 + 82_799
        let steps = Int(8_200 + 2_400 * DayNoise.normal(.steps, day))
        let pulse = Int((57 + 3 * DayNoise.normal(.restingPulse, day)).rounded())
        let sleep = Int((430 + 40 * DayNoise.normal(.bedtime, day)).rounded())
        var points = [
            point("Fitbit", "Steps", number: day, at: end, from: end - 86_399, "\(max(0, steps))", "count"),
            point("Fitbit", "RestingHeartRate", number: day, at: end, "\(pulse)", "bpm"),
            point("Fitbit", "SleepMinutes", number: day, at: end - 61_200, "\(max(0, sleep))", "min"),
            point("AppleHealth", "Steps", number: day, at: end, from: end - 86_399, "\(max(0, steps - 310))", "count"),
        ]
        if (day + 4) % 7 == 0 {
            let context = SandboxID.make(.context, day)
            let upper = Int((118 + 6 * DayNoise.normal(.weight, day)).rounded())
            for (type, value) in [("BloodPressureSystolic", upper), ("BloodPressureDiastolic", upper - 41)] {
                var reading = point("AppleHealth", type, number: day, at: end - 50_000, "\(value)", "mmHg")
                reading.json["deviceDataContextID"] = .string(context)
                points.append(reading)
            }
        }
        return points
    }

    static func point(
        _ namespace: String, _ type: String, number: Int, at second: Int, from first: Int? = nil, _ value: String,
        _ units: String
    ) -> ParticipantRecords.Item {
        let index = types.firstIndex { $0 == (namespace, type) } ?? 0
        let date = Date(timeIntervalSince1970: Double(second))
        let inserted = ZonedTime.text(date.addingTimeInterval(600.25))
        return ParticipantRecords.Item(
            date: date,
            json: [
                "id": .string(SandboxID.make(.point, index * 10_000_000 + number)), "namespace": .string(namespace),
                "deviceDataContextID": nil, "insertedDate": .string(inserted), "modifiedDate": .string(inserted),
                "identifier": .string("\(namespace.lowercased())-\(type)-\(number)"), "type": .string(type),
                "value": .string(value), "units": .string(units), "properties": [:],
                "source": [
                    "identifier": .string(namespace == "Fitbit" ? "com.fitbit" : "com.apple.health"),
                    "properties": ["SourceName": "Mayas klocka ⌚️"],
                ],
                "startDate": first.map {
                    .string(ZonedTime.text(Date(timeIntervalSince1970: Double($0)), hoursEast: 1))
                } ?? nil,
                "observationDate": .string(ZonedTime.text(date, hoursEast: 1)),
            ])
    }
}
