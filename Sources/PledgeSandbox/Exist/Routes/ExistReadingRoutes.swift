import Foundation

extension ExistBackend {
    var readingRoutes: [ServerRoute] {
        [
            readers("GET /api/2/accounts/profile/", profile),
            readers("GET /api/2/attributes/templates/", templates),
            readers("GET /api/2/attributes/") { try attributes($0, by: $1) },
            readers("GET /api/2/attributes/with-values/", withValues),
            readers("GET /api/2/attributes/values/", values),
            // A simple token has no client, so it cannot own anything.
            writers("GET /api/2/attributes/owned/") { try attributes($0, by: $1, ownedOnly: true) },
        ]
    }

    func profile(_: ServerRequest, of token: ExistToken) -> ServerResponse {
        let name = token.username ?? username
        // Users differ in each flag, so that a client that ignores one is noticed. The first has none set.
        let flags = name == username ? 0 : DayNoise.bits(.secret, name.utf8.reduce(0) { $0 &* 31 &+ Int($1) })
        func flag(_ index: Int) -> ServerJSON { .bool(flags >> index & 1 == 1) }
        return .json([
            "username": .string(name), "first_name": "Maya", "last_name": "Lindqvist",
            "avatar": .string("https://exist.io/media/avatars/\(name).png"),
            "timezone": .string(clock.timeZone.identifier),
            "local_time": .string(clock.timestamp(clock.now(), digits: 6)),
            "imperial_distance": flag(0), "imperial_weight": flag(1), "imperial_energy": flag(2),
            "imperial_liquid": flag(3), "imperial_temperature": flag(4), "trial": flag(5), "delinquent": flag(6),
        ])
    }

    func templates(_ request: ServerRequest, by _: ExistToken) throws -> ServerResponse {
        let query = ExistParameters(request)
        let groups = query.names("groups")
        let templates = ExistTemplates.all.filter { template in
            (query.isOn("include_low_priority") || !template.isLowPriority)
                && groups?.contains(template.group.name) ?? true
        }
        return try query.page(of: templates) { .object($0.summary) }
    }

    func attributes(
        _ request: ServerRequest, by token: ExistToken, ownedOnly: Bool = false
    ) throws -> ServerResponse {
        let query = ExistParameters(request)
        let manual = query.truth("manual")
        let ownedOnly = ownedOnly || query.isOn("owned")
        // What a client owns, it sees without a scope to read it, as clients that only write expect.
        let attributes = records.current.attributes(query, where: ownedOnly ? token.owns : token.canRead).filter {
            attribute in
            (query.isOn("include_inactive") || attribute.isActive)
                && (query.isOn("include_low_priority") || !attribute.isLowPriority)
                && (!query.isOn("exclude_custom") || attribute.template != nil)
                && (manual == nil || manual == attribute.manual)
        }
        return try query.page(of: attributes, json: \.json)
    }

    func withValues(_ request: ServerRequest, by token: ExistToken) throws -> ServerResponse {
        let query = ExistParameters(request)
        let days = min(31, max(1, try query.integer("days") ?? 1))
        let today = clock.today
        let last = try query.day("date_max") ?? today
        let templates = query.names("templates")
        let records = records.current
        let attributes = records.attributes(query, where: token.canRead).filter { attribute in
            attribute.isActive && !attribute.isLowPriority && (!query.isOn("manual") || attribute.manual)
                && templates.map { attribute.template.map($0.contains) ?? false } ?? true
        }
        return try query.page(of: attributes) { attribute in
            let values = (0..<days).map { dayValue(records, attribute, last - $0, today) }
            return .object(attribute.members.merging(["values": .array(values)]) { $1 })
        }
    }

    func values(_ request: ServerRequest, by token: ExistToken) throws -> ServerResponse {
        let query = ExistParameters(request)
        let records = records.current
        let found = records[try query.required("attribute")]
        guard let attribute = found, attribute.isActive || !records.hidesInactiveValues else {
            throw ServerResponse.detail("Not found.", status: 404)
        }
        let today = clock.today
        let last = min(try query.day("date_max") ?? today, today)
        let first = records.firstDay(of: attribute.name, today: today)
        let days = token.canRead(attribute) && first <= last ? (0...last.number - first.number).map { last - $0 } : []
        return try query.page(of: days) { dayValue(records, attribute, $0, today) }
    }

    private func dayValue(
        _ records: ExistRecords, _ attribute: ExistAttribute, _ day: CalendarDay, _ today: CalendarDay
    ) -> ServerJSON {
        ["date": .string(day.text), "value": records.value(of: attribute, on: day, today: today)]
    }
}

extension ExistRecords {
    /// Returns the attributes that match the query's groups and names, and a condition.
    func attributes(_ query: ExistParameters, where isVisible: (ExistAttribute) -> Bool) -> [ExistAttribute] {
        let groups = query.names("groups")
        let names = query.names("attributes")
        return attributes.filter { attribute in
            isVisible(attribute) && groups?.contains(attribute.group.name) ?? true
                && names?.contains(attribute.name) ?? true
        }
    }
}
