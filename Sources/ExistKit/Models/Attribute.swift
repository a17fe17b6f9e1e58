import Foundation
import PledgeModels

/// Something Exist tracks for a user, such as steps or mood, with its values by day where they were asked for.
///
/// https://developer.exist.io/reference/object_types/#attribute
public struct Attribute: Decodable, Sendable, Equatable {
    /// The template it was made from; nil for custom attributes.
    public var template: String?
    /// What it is called in requests.
    public var name: String
    /// What it is called for people; any text.
    public var label: String
    /// What it belongs to.
    public var group: AttributeGroup
    /// Who owns it, and so may write it; nil if nobody does.
    public var serviceInfo: AttributeService?
    /// Whether it is in use.
    public var active: Bool?
    /// Where it comes in its group; smaller is earlier, and 10 or more is "low priority".
    public var priority: Int
    /// Whether the user fills it in by hand.
    public var manual: Bool?
    /// What kind of value it holds.
    public var valueType: ValueType
    /// The kind in the service's words.
    public var valueTypeDescription: String?
    /// Who could own it; empty where the service does not say.
    public var availableServices: [AttributeService]
    /// Its values, newest first, one for every day that was asked for; empty where values were not.
    public var values: [DayValue]
    /// Values that could not be read.
    public var unreadableValues: [UnreadableItem]

    /// The owner's name.
    public var service: String? { serviceInfo?.name }

    /// A value and its day.
    public struct DayValue: Decodable, Sendable, Equatable {
        /// The day.
        public var day: ExistDay
        /// What it held; nil if nothing is known.
        public var value: AttributeValue?

        /// A value and its day.
        public init(day: ExistDay, value: AttributeValue?) {
            self.day = day
            self.value = value
        }

        private enum CodingKeys: String, CodingKey {
            case value
            case day = "date"
        }
    }

    /// An attribute, as for tests.
    public init(
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

    /// Reads an attribute; only its name is required.
    public init(from decoder: any Decoder) throws {
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

/// A group of attributes, such as Sleep.
public struct AttributeGroup: Decodable, Sendable, Hashable {
    /// What it is called in requests.
    public var name: String
    /// What it is called for people.
    public var label: String
    /// Where it comes; smaller is earlier.
    public var priority: Int

    /// A group.
    public init(name: String, label: String? = nil, priority: Int = 0) {
        self.name = name
        self.label = label ?? name
        self.priority = priority
    }

    private enum CodingKeys: String, CodingKey {
        case name, label, priority
    }

    /// Reads an object, or just a name, as some replies have it.
    public init(from decoder: any Decoder) throws {
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

/// A service that fills attributes.
public struct AttributeService: Decodable, Sendable, Hashable {
    /// What it is called in requests.
    public var name: String
    /// What it is called for people.
    public var label: String

    /// A service.
    public init(name: String, label: String? = nil) {
        self.name = name
        self.label = label ?? name
    }

    private enum CodingKeys: String, CodingKey {
        case name, label
    }

    /// Reads an object, or just a name, as older replies have it.
    public init(from decoder: any Decoder) throws {
        guard let container = try? decoder.container(keyedBy: CodingKeys.self) else {
            self.init(name: try decoder.singleValueContainer().decode(String.self))
            return
        }
        self.init(
            name: try container.decode(String.self, forKey: .name),
            label: try container.decodeIfPresent(String.self, forKey: .label))
    }
}
