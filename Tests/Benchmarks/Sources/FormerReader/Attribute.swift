import Foundation

struct Attribute: Decodable, Sendable, Equatable {
    var template: String?
    var name: String
    var label: String
    var group: AttributeGroup
    var serviceInfo: AttributeService?
    var active: Bool?
    var priority: Int
    var manual: Bool?
    var valueType: ValueType
    var valueTypeDescription: String?
    var availableServices: [AttributeService]
    var values: [DayValue]
    var unreadableValues: [UnreadableItem]
    var service: String? { serviceInfo?.name }
    struct DayValue: Decodable, Sendable, Equatable {
        var day: ExistDay
        var value: AttributeValue?
        init(day: ExistDay, value: AttributeValue?) {
            self.day = day
            self.value = value
        }

        private enum CodingKeys: String, CodingKey {
            case value
            case day = "date"
        }
    }
    init(
        name: String, label: String? = nil, group: AttributeGroup, valueType: ValueType, values: [DayValue] = [],
        template: String? = nil, serviceInfo: AttributeService? = nil, active: Bool? = true, priority: Int = 1,
        manual: Bool? = nil, valueTypeDescription: String? = nil, availableServices: [AttributeService] = []
    ) {
        self.template = template
        self.name = name
        self.label = label ?? name
        self.group = group
        self.serviceInfo = serviceInfo
        self.active = active
        self.priority = priority
        self.manual = manual
        self.valueType = valueType
        self.valueTypeDescription = valueTypeDescription
        self.availableServices = availableServices
        self.values = values
        self.unreadableValues = []
    }
}

extension Attribute {
    private enum CodingKeys: String, CodingKey {
        case template, name, label, group, service, active, priority, manual, values
        case valueType = "value_type"
        case valueTypeDescription = "value_type_description"
        case availableServices = "available_services"
    }
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        label = try container.decodeIfPresent(String.self, forKey: .label) ?? name
        template = try container.decodeIfPresent(String.self, forKey: .template)
        group = try container.decodeIfPresent(AttributeGroup.self, forKey: .group) ?? AttributeGroup(name: "")
        serviceInfo = try container.decodeIfPresent(AttributeService.self, forKey: .service)
        active = try container.decodeIfPresent(LenientBool.self, forKey: .active)?.value
        priority = try container.decodeIfPresent(Int.self, forKey: .priority) ?? 0
        manual = try container.decodeIfPresent(LenientBool.self, forKey: .manual)?.value
        valueType = try container.decodeIfPresent(ValueType.self, forKey: .valueType) ?? .unknown(-1)
        valueTypeDescription = try container.decodeIfPresent(String.self, forKey: .valueTypeDescription)
        availableServices = try container.decodeIfPresent([AttributeService].self, forKey: .availableServices) ?? []
        (values, unreadableValues) =
            try container.contains(.values) && !container.decodeNil(forKey: .values)
            ? valueType.values(in: container.nestedUnkeyedContainer(forKey: .values)) : ([], [])
    }
}
struct AttributeGroup: Decodable, Sendable, Hashable {
    var name: String
    var label: String
    var priority: Int
    init(name: String, label: String? = nil, priority: Int = 0) {
        self.name = name
        self.label = label ?? name
        self.priority = priority
    }

    private enum CodingKeys: String, CodingKey {
        case name, label, priority
    }
    init(from decoder: any Decoder) throws {
        guard let container = try? decoder.container(keyedBy: CodingKeys.self) else {
            self.init(name: try decoder.singleValueContainer().decode(String.self))
            return
        }
        self.init(
            name: try container.decode(String.self, forKey: .name),
            label: try container.decodeIfPresent(String.self, forKey: .label),
            priority: try container.decodeIfPresent(Int.self, forKey: .priority) ?? 0)
    }
}
struct AttributeService: Decodable, Sendable, Hashable {
    var name: String
    var label: String
    init(name: String, label: String? = nil) {
        self.name = name
        self.label = label ?? name
    }

    private enum CodingKeys: String, CodingKey {
        case name, label
    }
    init(from decoder: any Decoder) throws {
        guard let container = try? decoder.container(keyedBy: CodingKeys.self) else {
            self.init(name: try decoder.singleValueContainer().decode(String.self))
            return
        }
        self.init(
            name: try container.decode(String.self, forKey: .name),
            label: try container.decodeIfPresent(String.self, forKey: .label))
    }
}
