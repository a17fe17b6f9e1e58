/// An attribute of the user.
struct ExistAttribute: Sendable {
    var template: String?
    var name: String
    var label: String
    var group: ExistGroup
    var priority: Int
    var valueType: ExistValueType
    var manual: Bool
    /// The service that owns it; `nil` when it has no owner.
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
        // The service gives every custom attribute the same priority.
        priority = 2
        self.valueType = valueType
        self.manual = manual
        self.service = service
        availableServices = []
    }

    var isLowPriority: Bool {
        priority >= 10
    }

    /// The members that insights include about their attribute.
    var summary: [String: SandboxJSON] {
        [
            "name": .string(name), "label": .string(label), "group": group.json, "priority": .integer(priority),
            "value_type": .integer(valueType.rawValue), "value_type_description": .string(valueType.label),
        ]
    }

    /// The members of an object of `attributes/with-values/`, without the values.
    var members: [String: SandboxJSON] {
        summary.merging([
            "template": template.map(SandboxJSON.string) ?? .null,
            "service": service?.json ?? .null,
            "active": .bool(isActive),
            "manual": .bool(manual),
        ]) { $1 }
    }

    /// The object in every other list.
    var json: SandboxJSON {
        .object(members.merging(["available_services": .array(availableServices.map(\.json))]) { $1 })
    }

    /// Whether one attribute precedes another in lists: by group, then by attribute.
    static func isInOrder(_ one: ExistAttribute, _ other: ExistAttribute) -> Bool {
        (one.group.priority, one.group.name, one.priority, one.name)
            < (other.group.priority, other.group.name, other.priority, other.name)
    }
}

extension ExistAttribute {
    /// Makes a service the owner, and adds it to the available services.
    mutating func acquire(for newOwner: ExistService, manual: Bool?) {
        service = newOwner
        isActive = true
        if !availableServices.contains(newOwner) { availableServices.append(newOwner) }
        if let manual { self.manual = manual }
    }

    /// Takes the attribute from its owner and gives it to another available service, if there is one.
    mutating func release() {
        availableServices.removeAll { $0 == service }
        service = availableServices.first
        isActive = service != nil
    }
}
