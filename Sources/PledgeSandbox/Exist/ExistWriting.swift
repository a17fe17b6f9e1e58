extension ExistBackend {
    var writingRoutes: [ServerRoute] {
        [
            writeRoute("POST /api/2/attributes/update/", update),
            writeRoute("POST /api/2/attributes/increment/", increment),
        ]
    }

    func update(_ request: ServerRequest, by token: ExistToken) throws -> ServerResponse {
        return try write(request) { records, item throws(ExistItemError) in
            try item.require("name", "date", "value")
            let attribute = try writable(item, in: records, by: token)
            let day = try day(of: item)
            let value = try attribute.valueType.accepting(item["value"] ?? .null)
            records.write(value, of: attribute.name, on: day)
            return .object(item)
        }
    }

    func increment(_ request: ServerRequest, by token: ExistToken) throws -> ServerResponse {
        let today = clock.today
        return try write(request) { records, item throws(ExistItemError) in
            try item.require("name", "value")
            let attribute = try writable(item, in: records, by: token)
            if let refusal = attribute.valueType.incrementRefusal { throw .validation(refusal) }
            let day = item["date"] == nil ? today : try day(of: item)
            let delta = try attribute.valueType.accepting(item["value"] ?? .null)
            let current = try records.value(of: attribute, on: day, today: today).adding(delta)
            records.write(current, of: attribute.name, on: day)
            return .object(item.adding(["current": current]))
        }
    }

    private func writable(
        _ item: ExistItem, in records: ExistRecords, by token: ExistToken
    ) throws(ExistItemError) -> ExistAttribute {
        let name = item["name"]?.string ?? ""
        guard let attribute = records[name] else { throw .notFound(name) }
        guard token.owns(attribute) else { throw .notOwned(name) }
        try token.checkWriting(attribute.group, manual: attribute.manual)
        return attribute
    }

    private func day(of item: ExistItem) throws(ExistItemError) -> CalendarDay {
        guard let day = item["date"]?.string.flatMap({ CalendarDay($0) }) else {
            throw .validation("Date must be written YYYY-MM-DD")
        }
        // Accepts tomorrow, too. The service doesn't know the client's time zone, and the next day may already have
        // begun there.
        guard day <= clock.today + 1 else { throw .validation("Date is in the future") }
        return day
    }
}

extension ServerJSON {
    fileprivate func adding(_ delta: ServerJSON) throws(ExistItemError) -> ServerJSON {
        if let own = self == .null ? 0 : integer, let more = delta.integer {
            let (sum, overflow) = own.addingReportingOverflow(more)
            if overflow { throw .validation("Value is too large") }
            return .integer(sum)
        }
        return .number([self, delta].compactMap(\.double).reduce(0, +))
    }
}

extension ExistBackend {
    var ownershipRoutes: [ServerRoute] {
        [
            writeRoute("POST /api/2/attributes/acquire/", acquire),
            writeRoute("POST /api/2/attributes/release/", release),
            writeRoute("POST /api/2/attributes/create/", create),
        ]
    }

    func acquire(_ request: ServerRequest, by token: ExistToken) throws -> ServerResponse {
        let wantsObjects = ExistParameters(request).isOn("success_objects")
        return try write(request) { records, item throws(ExistItemError) in
            var attribute = try wanted(by: item, in: records, for: token)
            try token.checkWriting(attribute.group, manual: attribute.manual)
            attribute.acquire(for: token.client, manual: item["manual"]?.bool)
            records.save(attribute)
            // The documentation of Exist shows this Boolean as a string, so clients must accept a string.
            return wantsObjects
                ? attribute.json : .object(item.adding(["name": .string(attribute.name), "active": "true"]))
        }
    }

    /// Returns the attribute that the item names. If the item names a template that the user has no attribute for,
    /// returns a new attribute.
    private func wanted(
        by item: ExistItem, in records: ExistRecords, for token: ExistToken
    ) throws(ExistItemError) -> ExistAttribute {
        if let name = item["template"]?.string {
            if let attribute = records.attribute(template: name) { return attribute }
            guard let template = ExistTemplates.named(name) else { throw .notFound(name) }
            return template.owned(by: token.client, manual: false)
        }
        guard let name = item["name"]?.string else { throw .missing(fields: ["name"]) }
        guard let attribute = records[name] else { throw .notFound(name) }
        return attribute
    }

    func release(_ request: ServerRequest, by token: ExistToken) throws -> ServerResponse {
        return try write(request) { records, item throws(ExistItemError) in
            guard let name = item["name"]?.string else { throw .missing(fields: ["name"]) }
            guard var attribute = records[name] else { throw .notFound(name) }
            guard token.owns(attribute) else { throw .notOwned(name) }
            attribute.release()
            records.save(attribute)
            // The documentation of Exist shows only the name, but public clients read the other two members, too.
            return [
                "name": .string(name), "service": attribute.service.map { .string($0.name) } ?? .null,
                "active": .bool(attribute.isActive),
            ]
        }
    }

    func create(_ request: ServerRequest, by token: ExistToken) throws -> ServerResponse {
        let wantsObjects = ExistParameters(request).isOn("success_objects")
        return try write(request) { records, item throws(ExistItemError) in
            let attribute = try Self.attribute(described: item, for: token)
            try token.checkWriting(attribute.group, manual: attribute.manual)
            guard records[attribute.name] == nil else { throw .exists }
            records.save(attribute)
            return wantsObjects ? attribute.json : .object(item.adding(attribute.creationEcho))
        }
    }

    private static func attribute(
        described item: ExistItem, for token: ExistToken
    ) throws(ExistItemError) -> ExistAttribute {
        let manual = item["manual"]?.bool ?? true
        if let name = item["template"]?.string {
            guard let template = ExistTemplates.named(name) else { throw .notFound(name) }
            return template.owned(by: token.client, manual: manual)
        }
        try item.require("label", "group", "value_type")
        let label = item["label"]?.string ?? ""
        guard let group = item["group"]?.string.flatMap(ExistGroup.init) else {
            throw .validation("Group does not exist")
        }
        guard let valueType = item["value_type"]?.integer.flatMap(ExistValueType.init) else {
            throw .validation("Value type does not exist")
        }
        guard valueType != .timeFromMidday else {
            throw .validation("Value type 6 cannot be used for new attributes")
        }
        guard group != .custom || valueType == .boolean else {
            throw .validation("Value type 7 is the only one in this group")
        }
        let name = slug(of: label)
        guard !name.isEmpty else { throw .validation("Label holds no letter or digit") }
        return ExistAttribute(
            name: name, label: label, group: group, valueType: valueType, manual: manual, service: token.client)
    }

    /// Returns a name for a label, such as `plants_watered` for "Plants watered 🪴". It has the label's letters and
    /// digits, in any script, and underscores.
    private static func slug(of label: String) -> String {
        label.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: "_")
    }
}

extension ExistAttribute {
    /// The fields with which the short response describes a new attribute. The response also contains the item that was
    /// sent. The group is represented only by its name.
    fileprivate var creationEcho: [String: ServerJSON] {
        members.filter { ["name", "label", "value_type", "manual", "priority"].contains($0.key) }
            .adding(["group": .string(group.name)])
    }
}

typealias ExistItem = [String: ServerJSON]

extension ExistBackend {
    private static let mostItems = 35

    /// Processes the items of a write request in order. Each item sees the effects of the items before it.
    ///
    /// Returns a 200 if all items succeed, and a 202 if some fail. Throws a 400 if the body is not a list, or is a list
    /// of more than 35 items.
    func write(
        _ request: ServerRequest,
        each change: (inout ExistRecords, ExistItem) throws(ExistItemError) -> ServerJSON
    ) throws -> ServerResponse {
        func fault(_ message: String) -> ServerResponse {
            .json(["error": .string(message), "error_code": "invalid"], status: 400)
        }
        guard let items = request.json?.array else { throw fault("Expected a list of objects") }
        guard items.count <= Self.mostItems else {
            throw fault("Expected at most \(Self.mostItems) objects, got \(items.count)")
        }
        var (success, failed): ([ServerJSON], [ServerJSON]) = ([], [])
        records.withLock { records in
            for (index, element) in items.enumerated() {
                do throws(ExistItemError) {
                    guard let item = element.object else { throw .validation("Item is not an object") }
                    success.append(try change(&records, item))
                } catch {
                    failed.append(error.item(for: element.object ?? [:], at: index))
                }
            }
        }
        return .json(
            ["success": .array(success), "failed": .array(failed)], status: failed.isEmpty ? 200 : 202)
    }
}

extension ExistItem {
    func require(_ fields: String...) throws(ExistItemError) {
        let missing = fields.filter { self[$0] == nil }
        guard missing.isEmpty else { throw .missing(fields: missing) }
    }

    func adding(_ more: ExistItem) -> ExistItem { merging(more) { $1 } }
}

/// The reason why one item of a write request failed.
enum ExistItemError: Error {
    case missing(fields: [String])
    case unauthorised(String)
    case validation(String)
    case exists
    case notFound(String)

    static func notOwned(_ name: String) -> ExistItemError {
        .unauthorised("Attribute '\(name)' does not belong to this service")
    }

    static func noScope(_ scope: String) -> ExistItemError {
        .unauthorised("No \(scope) scope")
    }

    func item(for sent: ExistItem, at index: Int) -> ServerJSON {
        let (code, message) = describe(at: index)
        return .object(sent.adding(["error_code": .string(code), "error": .string(message)]))
    }

    private func describe(at index: Int) -> (code: String, message: String) {
        switch self {
        case .missing(let fields):
            let names = fields.map { "'\($0)'" }.joined(separator: ",")
            return ("missing_field", "Object at index \(index) missing field(s) \(names)")
        case .unauthorised(let message): return ("unauthorised", message)
        case .validation(let message): return ("validation", message)
        case .exists: return ("exists", "An attribute with this name already exists")
        case .notFound(let name): return ("not_found", "Attribute '\(name)' does not exist")
        }
    }
}
