/// An attribute of the user, or a template, which has no owner and no values.
struct ExistAttribute: Sendable {
    var template: String?
    var name: String
    var label: String
    var group: ExistGroup
    // The service gives every custom attribute the same priority.
    var priority = 2
    var valueType: ExistValueType
    var manual = false
    var service: ExistService?
    var availableServices: [ExistService] = []
    var isActive = true

    var isLowPriority: Bool { priority >= 10 }

    /// The members of the attribute's object within an insight.
    var summary: [String: ServerJSON] {
        [
            "name": .string(name), "label": .string(label), "group": group.json, "priority": .integer(priority),
            "value_type": .integer(valueType.rawValue), "value_type_description": .string(valueType.label),
        ]
    }

    /// The members in `attributes/with-values/`, without the values.
    var members: [String: ServerJSON] {
        summary.merging([
            "template": template.map(ServerJSON.string) ?? .null,
            "service": service?.json ?? .null,
            "active": .bool(isActive),
            "manual": .bool(manual),
        ]) { $1 }
    }

    var json: ServerJSON {
        .object(members.merging(["available_services": .array(availableServices.map(\.json))]) { $1 })
    }

    static func isInOrder(_ one: ExistAttribute, _ other: ExistAttribute) -> Bool {
        (one.group.priority, one.group.name, one.priority, one.name)
            < (other.group.priority, other.group.name, other.priority, other.name)
    }
}

extension ExistAttribute {
    /// Returns the user's attribute of this template, with its owner and other services that could own it.
    func owned(by owner: ExistService, manual: Bool, others: [ExistService] = []) -> ExistAttribute {
        var attribute = self
        attribute.manual = manual
        attribute.service = owner
        attribute.availableServices = manual ? others : [owner] + others
        return attribute
    }

    mutating func acquire(for newOwner: ExistService, manual: Bool?) {
        service = newOwner
        isActive = true
        if !availableServices.contains(newOwner) { availableServices.append(newOwner) }
        if let manual { self.manual = manual }
    }

    /// Gives the attribute to another available service, if there is one.
    mutating func release() {
        availableServices.removeAll { $0 == service }
        service = availableServices.first
        isActive = service != nil
    }
}
