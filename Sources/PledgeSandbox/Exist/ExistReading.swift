import Foundation

extension ExistBackend {
    var readingRoutes: [ServerRoute] {
        [
            readRoute("GET /api/2/accounts/profile/", profile),
            readRoute("GET /api/2/attributes/templates/", templates),
            readRoute("GET /api/2/attributes/") { try attributes($0, by: $1) },
            readRoute("GET /api/2/attributes/with-values/", withValues),
            readRoute("GET /api/2/attributes/values/", values),
            // A simple token belongs to no client, so it cannot own attributes, and may not use this route.
            writeRoute("GET /api/2/attributes/owned/") { try attributes($0, by: $1, ownedOnly: true) },
        ]
    }

    func profile(_: ServerRequest, of token: ExistToken) -> ServerResponse {
        let name = token.username ?? username
        // Users have different flags, so that tests notice a client that ignores a flag. The sandbox's first user has
        // no flags set.
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
        // A client can list the attributes that it owns, even without a scope to read them. Clients that only write
        // expect that.
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
    /// Returns the attributes that satisfy a condition, and that match the groups and names in the query.
    func attributes(_ query: ExistParameters, where isVisible: (ExistAttribute) -> Bool) -> [ExistAttribute] {
        let groups = query.names("groups")
        let names = query.names("attributes")
        return attributes.filter { attribute in
            isVisible(attribute) && groups?.contains(attribute.group.name) ?? true
                && names?.contains(attribute.name) ?? true
        }
    }
}

extension ExistBackend {
    var insightRoutes: [ServerRoute] {
        [
            readRoute("GET /api/2/insights/", insights),
            readRoute("GET /api/2/averages/", averages),
            readRoute("GET /api/2/correlations/", correlations),
            readRoute("GET /api/2/correlations/combo/", combo),
        ]
    }

    func insights(_ request: ServerRequest, by token: ExistToken) throws -> ServerResponse {
        let query = ExistParameters(request)
        let priority = try query.integer("priority")
        let days = try query.days()
        let now = clock.now()
        let insights = statistics.insights.filter { insight in
            (priority == nil || priority == insight.span.rawValue)
                && days.contains(insight.targetDay ?? insight.day)
                && insight.subjects.allSatisfy(token.canRead)
                && insight.created(clock) <= now
        }
        return try query.page(of: insights) { $0.json(clock: clock) }
    }

    func averages(_ request: ServerRequest, by token: ExistToken) throws -> ServerResponse {
        let query = ExistParameters(request)
        let days = try query.days()
        let statistics = statistics
        let attributes = statistics.records.attributes(query, where: token.canRead).filter(\.isActive)
        let averages = ExistAverage.all(
            in: statistics, of: attributes, historical: query.isOn("include_historical"))
        return try query.page(of: averages.filter { days.contains($0.date) }, json: \.json)
    }

    func correlations(_ request: ServerRequest, by token: ExistToken) throws -> ServerResponse {
        let query = ExistParameters(request)
        let name = query.text("attribute")
        let correlations = readableCorrelations(by: token).filter { correlation in
            (name == nil || correlation.concerns(name ?? ""))
                && (!query.isOn("strong") || correlation.isStrong)
                && (!query.isOn("confident") || correlation.stars == 5)
        }
        return try query.page(of: correlations, json: \.json)
    }

    func combo(_ request: ServerRequest, by token: ExistToken) throws -> ServerResponse {
        let query = ExistParameters(request)
        let (one, other) = (try query.required("attribute"), try query.required("attribute2"))
        let found = readableCorrelations(by: token).first { one != other && $0.concerns(one) && $0.concerns(other) }
        guard let found else { throw ServerResponse.detail("Not found.", status: 404) }
        return .json(found.json)
    }

    /// Returns the correlations in which the token can read at least one of the two attributes.
    private func readableCorrelations(by token: ExistToken) -> [ExistCorrelation] {
        statistics.correlations.filter { token.canRead($0.outcome) || token.canRead($0.driver) }
    }
}

extension ExistCorrelation {
    fileprivate func concerns(_ name: String) -> Bool {
        outcome.name == name || driver.name == name
    }
}

struct ExistParameters {
    let request: ServerRequest

    init(_ request: ServerRequest) { self.request = request }

    func text(_ name: String) -> String? { request.queryText(name) }

    func required(_ name: String) throws -> String {
        guard let text = text(name) else { throw Self.fault(name, "This field is required.") }
        return text
    }

    /// Returns the names in a comma-separated query item. If the query item is missing, returns nil, which means all
    /// names.
    func names(_ name: String) -> Set<String>? {
        text(name).map { Set($0.split(separator: ",").map(String.init)) }
    }

    /// Returns whether a flag is set. The documentation of Exist writes `true` in some places and `1` in others.
    func isOn(_ name: String) -> Bool { truth(name) ?? false }

    func truth(_ name: String) -> Bool? {
        switch text(name)?.lowercased() {
        case "true", "1": true
        case "false", "0": false
        default: nil
        }
    }

    func integer(_ name: String) throws -> Int? {
        try value(name, or: "A valid integer is required.") { Int($0) }
    }

    func day(_ name: String) throws -> CalendarDay? {
        try value(name, or: "Date has wrong format. Use one of these formats instead: YYYY-MM-DD.") { CalendarDay($0) }
    }

    private func value<Value>(_ name: String, or message: String, _ parse: (String) -> Value?) throws -> Value? {
        guard let text = text(name) else { return nil }
        guard let value = parse(text) else { throw Self.fault(name, message) }
        return value
    }

    func days() throws -> ClosedRange<CalendarDay> {
        let first = try day("date_min") ?? CalendarDay(number: .min / 2)
        let last = try day("date_max") ?? CalendarDay(number: .max / 2)
        guard first <= last else { throw Self.fault("date_min", "date_min is after date_max.") }
        return first...last
    }

    private static func fault(_ field: String, _ message: String) -> ServerResponse {
        .json([field: [.string(message)]], status: 400)
    }
}

extension ExistParameters {
    private static let defaultLimit = 20
    private static let largestLimit = 100

    /// Returns a page of the items. Only the items on the page are converted to JSON.
    func page<Item>(of items: [Item], json: (Item) -> ServerJSON) throws -> ServerResponse {
        let limit = min(try integer("limit") ?? Self.defaultLimit, Self.largestLimit)
        guard limit >= 1 else { throw Self.fault("limit", "Ensure this value is greater than or equal to 1.") }
        let page = try integer("page") ?? 1
        let pages = max(1, (items.count + limit - 1) / limit)
        guard (1...pages).contains(page) else {
            throw ServerResponse.detail("Invalid page.", status: 404)
        }
        let slice = items[(page - 1) * limit..<min(items.count, page * limit)]
        return .json([
            "count": .integer(items.count),
            "next": page < pages ? link(toPage: page + 1) : nil,
            "previous": page > 1 ? link(toPage: page - 1) : nil,
            "results": .array(slice.map(json)),
        ])
    }

    /// Returns the URL of another page. It has the query items of the request, sorted by name. The URL of the first
    /// page has no query item `page`. The URLs of the real service have this form, but the documentation shows them
    /// shortened.
    private func link(toPage page: Int) -> ServerJSON {
        let host = request.headers["Host"] ?? "127.0.0.1"
        let others = request.queryItems.filter { $0.name != "page" }.map { ($0.name, $0.value ?? "") }
        let items = (others + (page > 1 ? [("page", "\(page)")] : [])).sorted { $0.0 < $1.0 }
        let query = items.map { "\(Self.encoded($0.0))=\(Self.encoded($0.1))" }.joined(separator: "&")
        return .string("http://\(host)\(request.path)\(query.isEmpty ? "" : "?")\(query)")
    }

    /// Returns the text in the encoding of forms. Commas are percent-encoded, too.
    private static func encoded(_ text: String) -> String {
        let plain = CharacterSet.urlQueryAllowed.subtracting(CharacterSet(charactersIn: "!$&'()*+,;=:@/?"))
        let encoded = text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
        return encoded.replacingOccurrences(of: "%20", with: "+")
    }
}
