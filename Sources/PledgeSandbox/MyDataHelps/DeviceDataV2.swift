import Foundation

/// Version 2 of the device data. Every person has a year of data from Google Health. Every second person also has data
/// from Health Connect, and every third person from Oura. The data is computed for each request, except for points that
/// tests have changed.
struct DeviceDataV2: Sendable {
    typealias Item = ParticipantRecords.Item

    /// The types of data in the project. Each namespace spells its types differently. Disabled types have no data, and
    /// requests for them are refused.
    static let types: [(namespace: String, type: String, isEnabled: Bool)] = [
        ("GoogleHealth", "steps-daily", true), ("GoogleHealth", "distance-daily", true),
        ("GoogleHealth", "dailyRestingHeartRate-list-beatsPerMinute", true),
        ("GoogleHealth", "sleep-list-session-asleep", true), ("GoogleHealth", "heartRate-list", false),
        ("HealthConnect", "steps-daily", true), ("HealthConnect", "sleep", true), ("HealthConnect", "weight", false),
        ("Oura", "daily-activity", true), ("Oura", "sleep", true),
    ]

    private static let days = 365

    /// Whether no data is generated, so that tests add all of it. There is one exception: if a test sets
    /// ``googleHealthBegins``, the data of Google Health is generated.
    let isEmpty: Bool
    /// The number of the day on which the data of Google Health begins; nil if it begins a year ago.
    var googleHealthBegins: Int?
    /// The points that tests have added, by participant and ID.
    var added: [String: [String: Item]] = [:]
    /// Whether filters for observation dates compare instants. If false, they compare the date and time on the
    /// participant's clock. It is not known which of the two the real service does, so a client must work with both.
    var comparesInstants = false

    /// Returns the points of a type that a person has at `now`, newest first. If `start` is given, the result may lack
    /// points that were observed more than two days before `start`.
    func points(
        _ namespace: String, _ type: String, of person: ProjectPerson, since start: Date?, until now: Date
    ) -> [Item] {
        let exists = !isEmpty || namespace == "GoogleHealth" && googleHealthBegins != nil
        let made =
            exists && Self.hasData(person, namespace) ? made(namespace, type, person, since: start, until: now) : []
        let added = (added[person.identifier] ?? [:]).values.filter { item in
            item.text("namespace") == namespace && item.text("type") == type
        }
        return (made + added).sorted { ($0.date, $0.text("id") ?? "") > ($1.date, $1.text("id") ?? "") }
    }

    private static func hasData(_ person: ProjectPerson, _ namespace: String) -> Bool {
        switch namespace {
        case "HealthConnect": person.number % 2 == 0
        case "Oura": person.number % 3 == 0
        default: true
        }
    }

    private func made(
        _ namespace: String, _ type: String, _ person: ProjectPerson, since start: Date?, until now: Date
    ) -> [Item] {
        let today = Int((now.timeIntervalSince1970 / 86_400).rounded(.down))
        var first = today - Self.days
        if namespace == "GoogleHealth", let begins = googleHealthBegins { first = max(first, begins) }
        if let start { first = max(first, Int(min(start.timeIntervalSince1970 / 86_400, 1e6)) - 2) }
        guard first < today else { return [] }
        return (first..<today).flatMap { Day(person: person, number: $0).points(namespace, type) }
    }

    /// A day of a person, and the night that ends on its morning.
    struct Day {
        let person: ProjectPerson
        let number: Int

        /// The number that determines the random values of the day. It is different for each person. For the first
        /// person, it is the same number as in version 1, so that Google Health and Fitbit have the same steps.
        var draw: Int { person.number * 1_000_003 + number }

        /// The time asleep, in minutes.
        private var asleep: Int { max(180, Int((430 + 40 * DayNoise.normal(.bedtime, draw)).rounded())) }
        private var steps: Int { max(0, Int(8_200 + 2_400 * DayNoise.normal(.steps, draw))) }
        private var pulse: Int { Int((57 + 3 * DayNoise.normal(.restingPulse, draw)).rounded()) }
        /// The end of the night, in seconds after midnight.
        private var wakeTime: Int { 25_200 + Int(1_800 * DayNoise.normal(.wakeTime, draw)) / 60 * 60 }
        /// The start of the night, in seconds after midnight. It is negative if the night began on the evening before.
        private var bedtime: Int { wakeTime - (asleep + 25) * 60 }

        func points(_ namespace: String, _ type: String) -> [Item] {
            func daily(_ value: Int, _ units: String) -> [Item] {
                [point(namespace, type, "\(value)", units: units, from: 0, to: 86_400)]
            }
            return switch (namespace, type) {
            case ("GoogleHealth", "steps-daily"): daily(steps, "count")
            case ("GoogleHealth", "distance-daily"): daily(steps * 742, "mm")
            case ("GoogleHealth", "dailyRestingHeartRate-list-beatsPerMinute"): daily(pulse, "bpm")
            case ("GoogleHealth", "sleep-list-session-asleep"):
                [point(namespace, type, "\(asleep)", units: "min", from: bedtime, to: wakeTime)]
            case ("HealthConnect", "steps-daily"):
                [
                    point(
                        namespace, type, "\(max(0, steps - 310))", units: "count", from: 0, to: 86_400,
                        statesOffset: false, dataSource: ["dataOriginPackageName": "com.example.walker"])
                ]
            case ("HealthConnect", "sleep"): sleepStages
            case ("Oura", "daily-activity"): [ouraActivity]
            case ("Oura", "sleep"): [ouraSleep]
            default: []
            }
        }

        /// The stages of sleep from Health Connect, which does not tell the offset of the clock.
        private var sleepStages: [Item] {
            let cycle = ["STAGE_TYPE_LIGHT", "STAGE_TYPE_DEEP", "STAGE_TYPE_LIGHT", "STAGE_TYPE_REM"]
            let bedtime = bedtime
            let length = asleep * 60 / cycle.count
            return cycle.indices.map { index in
                point(
                    "HealthConnect", "sleep", cycle[index], units: nil, index: index,
                    from: bedtime + index * length, to: bedtime + (index + 1) * length, statesOffset: false,
                    properties: ["session": ["title": nil, "stages": 4]],
                    dataSource: ["dataOriginPackageName": "com.example.sleeper"])
            }
        }

        private var ouraActivity: Item {
            let score = min(100, 40 + steps / 180)
            return point(
                "Oura", "daily-activity", "\(score)", units: nil, from: nil, to: 0,
                properties: [
                    "day": .string(CalendarDay(number: number).text), "steps": .integer(steps),
                    "score": .integer(score),
                    "contributors": ["stay_active": .integer(min(100, steps / 100)), "recovery_time": nil],
                ])
        }

        private var ouraSleep: Item {
            point(
                "Oura", "sleep", "", units: nil, from: bedtime, to: wakeTime,
                properties: [
                    "day": .string(CalendarDay(number: number).text), "type": "long_sleep",
                    "total_sleep_duration": .integer(asleep * 60),
                    "average_heart_rate": .number(Double(pulse) - 1.5),
                ])
        }

        /// Creates a point.
        ///
        /// - Parameters:
        ///   - index: The number of the point among the points of the same type and day.
        ///   - start: The start of the observation, in seconds after midnight; nil if the source does not tell it.
        ///   - end: The end of the observation, in seconds after midnight.
        ///   - statesOffset: Whether the source tells the offset of the participant's clock from UTC, which is one
        ///     hour.
        func point(
            _ namespace: String, _ type: String, _ value: String, units: String?, index: Int = 0, from start: Int?,
            to end: Int, statesOffset: Bool = true, properties: [String: ServerJSON] = [:],
            dataSource: [String: ServerJSON] = [:]
        ) -> Item {
            let place = DeviceDataV2.types.firstIndex { ($0.namespace, $0.type) == (namespace, type) } ?? 31
            let id = SandboxID.make(.pointV2, ((person.number * 32 + place) * 40_000 + number) * 32 + index)
            func clock(_ second: Int) -> Date { Date(timeIntervalSince1970: Double(number * 86_400 + second)) }
            let inserted = ServerJSON.string(ZonedTime.text(clock(end + 7 * 3_600), digits: 6))
            return Item(
                date: clock(end),
                json: [
                    "id": .string(id), "participantID": .string(person.id),
                    "participantIdentifier": .string(person.identifier), "namespace": .string(namespace),
                    "type": .string(type),
                    "identifier": .string("\(namespace.lowercased())-\(CalendarDay(number: number).text)-\(index)"),
                    "value": .string(value), "units": units.map(ServerJSON.string) ?? .null,
                    "startDate": start.map { .string(local(clock($0))) } ?? .null,
                    "startDateOffset": start != nil && statesOffset ? "01:00:00" : .null,
                    "observationDate": .string(local(clock(end))),
                    "observationDateOffset": statesOffset ? "01:00:00" : .null,
                    "insertedDate": inserted, "modifiedDate": inserted, "properties": .object(properties),
                    "dataSource": .object(dataSource),
                ])
        }

        /// Returns a date and time without an offset.
        private func local(_ clock: Date) -> String { String(ZonedTime.text(clock, digits: 0).dropLast()) }
    }
}

// MARK: - Routes

extension ParticipantBackend {
    func dataTypesV2(_ request: ServerRequest) -> ServerResponse {
        .json(
            .array(
                DeviceDataV2.types.map {
                    ["namespace": .string($0.namespace), "type": .string($0.type), "enabled": .bool($0.isEnabled)]
                }))
    }

    /// Returns a page of a participant's points of one type. If the query doesn't name a participant, the first
    /// participant's points are returned.
    func pointsV2(_ request: ServerRequest) throws -> ServerResponse {
        let query = ParticipantQuery(request)
        let (namespace, type) = (try query.required("namespace"), try query.required("type"))
        // It is not known with which status code the real service refuses the request.
        guard DeviceDataV2.types.contains(where: { ($0.namespace, $0.type, $0.isEnabled) == (namespace, type, true) })
        else { throw ServerResponse.message("The type \(type) of \(namespace) is not enabled.", status: 400) }
        let name = query.text("participantIdentifier") ?? Self.participantIdentifier
        let records = records.current
        let filters = [
            try observed(query, records.deviceDataV2.comparesInstants),
            try query.filter("modifiedDate", "modifiedAfter", "modifiedBefore"),
            try query.filter("insertedDate", "insertedAfter", "insertedBefore"),
        ]
        let points = access.people.first { $0.identifier == name }.map {
            records.deviceDataV2.points(
                namespace, type, of: $0, since: try? Self.bound("observedAfter", of: query), until: now())
        }
        return try query.page(
            ParticipantList.points.name, of: (points ?? []).filter { item in filters.allSatisfy { $0(item) } })
    }

    /// Returns a filter for observation dates. The dates in the query may lack an offset.
    private func observed(_ query: ParticipantQuery, _ comparesInstants: Bool) throws -> (DeviceDataV2.Item) -> Bool {
        let (first, last) = (
            try Self.bound("observedAfter", of: query), try Self.bound("observedBefore", of: query)
        )
        return { item in
            // The clocks of all participants are one hour ahead of UTC.
            let date = item.date.addingTimeInterval(comparesInstants ? -3_600 : 0)
            return first.map { date > $0 } ?? true && last.map { date < $0 } ?? true
        }
    }

    private static func bound(_ name: String, of query: ParticipantQuery) throws -> Date? {
        guard let text = query.text(name) else { return nil }
        guard let date = ZonedTime.parse(text) ?? ZonedTime.parse(text + "Z") else {
            throw ServerResponse.message("\(name) is not a date and time: \(text)", status: 400)
        }
        return date
    }

    /// Throws a 400 if a query of version 1 asks for a namespace that only version 2 has.
    static func requireVersion1(_ query: ParticipantQuery) throws {
        let namespace = query.text("namespace") ?? ""
        let isNewer = DeviceDataV2.types.contains { $0.namespace == namespace } || namespace == "Dexcom"
        guard !isNewer else {
            // It is not known how the real service responds.
            throw ServerResponse.message("\(namespace) is not a namespace of version 1.", status: 400)
        }
    }
}

// MARK: - Changes

extension MyDataHelpsSandbox {
    /// Lets the data of Fitbit, which is in version 1, end before a day such as `2024-02-01`. The data of Google Health
    /// then begins on that day.
    package func moveFromFitbitToGoogleHealth(on day: String) {
        guard let day = CalendarDay(day) else { return }
        records.withLock { records in
            records.deviceDataV2.googleHealthBegins = day.number
            let midnight = Date(timeIntervalSince1970: Double(day.number * 86_400 - 3_600))
            records[.points].removeAll { $0.text("namespace") == "Fitbit" && $0.date >= midnight }
        }
    }

    /// Makes filters for the observation dates of version 2 compare instants, not the times on the participants'
    /// clocks.
    package func compareInstants() { records.withLock { $0.deviceDataV2.comparesInstants = true } }

    /// Adds a point of version 2 for a whole day, such as `2024-02-01`. If a point was added with the same number,
    /// replaces it.
    package func putPointV2(
        _ number: Int, of participant: String, namespace: String, type: String, value: String, day: String,
        modified: Date
    ) {
        guard let day = CalendarDay(day), let person = access.people.first(where: { $0.identifier == participant })
        else { return }
        var item = DeviceDataV2.Day(person: person, number: day.number).point(
            namespace, type, value, units: "count", from: 0, to: 86_400)
        let id = Self.addedID(number)
        item.json["id"] = .string(id)
        item.json["modifiedDate"] = .string(ZonedTime.text(modified, digits: 6))
        records.withLock { $0.deviceDataV2.added[participant, default: [:]][id] = item }
    }

    /// Removes a point of version 2 that was added with ``putPointV2(_:of:namespace:type:value:day:modified:)``.
    package func removePointV2(_ number: Int, of participant: String) {
        records.withLock { $0.deviceDataV2.added[participant]?[Self.addedID(number)] = nil }
    }

    /// Returns the ID for a point that a test adds. Generated points never have such an ID.
    private static func addedID(_ number: Int) -> String { SandboxID.make(.pointV2, (1 << 44) + number) }
}
