/// An attribute the user has.
struct ExistAttribute: Sendable {
    var template: String?
    var name: String
    var label: String
    var group: ExistGroup
    var priority: Int
    var valueType: ExistValueType
    var manual: Bool
    /// Who fills it; `nil` once nobody does.
    var service: ExistService?
    var availableServices: [ExistService]
    var isActive = true

    init(template: ExistTemplate, manual: Bool, service: ExistService, others: [ExistService] = []) {
        self.template = template.name
        name = template.name
        label = template.label
        group = template.group
        priority = template.priority
        valueType = template.valueType
        self.manual = manual
        self.service = service
        availableServices = manual ? others : [service] + others
    }

    init(
        name: String, label: String, group: ExistGroup, valueType: ExistValueType, manual: Bool, service: ExistService
    ) {
        self.name = name
        self.label = label
        self.group = group
        // The service ranks every custom attribute alike.
        priority = 2
        self.valueType = valueType
        self.manual = manual
        self.service = service
        availableServices = []
    }

    var isLowPriority: Bool {
        priority >= 10
    }

    /// What insights show of the attribute they are about.
    var summary: [String: SandboxJSON] {
        [
            "name": .string(name), "label": .string(label), "group": group.json, "priority": .integer(priority),
            "value_type": .integer(valueType.rawValue), "value_type_description": .string(valueType.label),
        ]
    }

    /// The object of `attributes/with-values/`, without the values.
    var members: [String: SandboxJSON] {
        summary.merging([
            "template": template.map(SandboxJSON.string) ?? .null,
            "service": service?.json ?? .null,
            "active": .bool(isActive),
            "manual": .bool(manual),
        ]) { $1 }
    }

    /// The object of every other list.
    var json: SandboxJSON {
        .object(members.merging(["available_services": .array(availableServices.map(\.json))]) { $1 })
    }

    /// The order of every list: by group, then by attribute.
    static func isInOrder(_ one: ExistAttribute, _ other: ExistAttribute) -> Bool {
        (one.group.priority, one.group.name, one.priority, one.name)
            < (other.group.priority, other.group.name, other.priority, other.name)
    }
}

extension ExistAttribute {
    /// Hands the attribute to a service, which becomes one of those on offer.
    mutating func acquire(for newOwner: ExistService, manual: Bool?) {
        service = newOwner
        isActive = true
        if !availableServices.contains(newOwner) { availableServices.append(newOwner) }
        if let manual { self.manual = manual }
    }

    /// Takes the attribute from its service and hands it to another that offers it, if there is one.
    mutating func release() {
        availableServices.removeAll { $0 == service }
        service = availableServices.first
        isActive = service != nil
    }
}
