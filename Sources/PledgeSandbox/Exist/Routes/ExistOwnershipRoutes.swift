extension ExistBackend {
    var ownershipRoutes: [ServerRoute] {
        [
            writers("POST /api/2/attributes/acquire/", acquire),
            writers("POST /api/2/attributes/release/", release),
            writers("POST /api/2/attributes/create/", create),
        ]
    }

    func acquire(_ request: ServerRequest, by token: ExistToken) throws -> ServerResponse {
        let wantsObjects = ExistParameters(request).isOn("success_objects")
        return try write(request) { records, item throws(ExistItemError) in
            var attribute = try wanted(by: item, in: records, for: token)
            try token.checkWriting(attribute.group, manual: attribute.manual)
            attribute.acquire(for: token.client, manual: item["manual"]?.bool)
            records.save(attribute)
            // The documentation shows this Boolean as a string, so clients must accept that.
            return wantsObjects
                ? attribute.json : .object(item.adding(["name": .string(attribute.name), "active": "true"]))
        }
    }

    /// Returns the specified attribute, or a new one for a template that the user does not have.
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
            // The documentation shows only the name; public clients read the others as well.
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

    /// Returns a name of letters and digits, in any script: `plants_watered` for "Plants watered 🪴".
    private static func slug(of label: String) -> String {
        label.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: "_")
    }
}

extension ExistAttribute {
    /// The fields that the short response to a creation adds to the item; its group is a plain name.
    fileprivate var creationEcho: [String: ServerJSON] {
        members.filter { ["name", "label", "value_type", "manual", "priority"].contains($0.key) }
            .adding(["group": .string(group.name)])
    }
}
