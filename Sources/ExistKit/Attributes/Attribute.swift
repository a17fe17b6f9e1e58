import Foundation
import PledgeCoding

/// Something Exist tracks for a user, such as steps or mood, with its values by day if they were requested
/// (<https://developer.exist.io/reference/object_types/#attribute>).
public struct Attribute: Sendable, Equatable {
    /// The template the attribute was created from; nil for custom attributes.
    public var template: String?
    /// The name that identifies the attribute in requests.
    public var name: String
    /// The display name of the attribute, which can be any text.
    public var label: String
    /// The group the attribute belongs to.
    public var group: AttributeGroup
    /// The service that owns the attribute, and so may write it; nil if there is none.
    public var serviceInfo: AttributeService?
    /// Whether the attribute is in use.
    public var active: Bool?
    /// The attribute's position in its group; smaller is earlier, and 10 or more is "low priority".
    public var priority: Int
    /// Whether the attribute is tracked manually by the user.
    public var manual: Bool?
    /// The type of the attribute's values.
    public var valueType: ValueType
    /// The service's description of the type.
    public var valueTypeDescription: String?
    /// The services that could own the attribute; empty if the service does not specify them.
    public var availableServices: [AttributeService]
    /// The values, newest first, one for every requested day; empty if no values were requested.
    public var values: [DayValue]
    /// The values that could not be decoded.
    public var unreadableValues: [UnreadableItem]

    /// The name of the service that owns and updates the attribute.
    public var service: String? { serviceInfo?.name }

    /// A value of an attribute and its day.
    public typealias DayValue = DatedValue<AttributeValue>

    /// Creates an attribute for use in tests.
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

/// A group of attributes, such as Sleep.
public struct AttributeGroup: Sendable, Hashable, Encodable {
    /// The name that identifies the group in requests.
    public var name: String
    /// The display name of the group.
    public var label: String
    /// The position of the group; smaller is earlier.
    public var priority: Int

    /// Creates a group for use in tests.
    public init(name: String, label: String? = nil, priority: Int = 0) {
        self.name = name
        self.label = label ?? name
        self.priority = priority
    }
}

/// A service that updates attributes.
public struct AttributeService: Sendable, Hashable, Encodable {
    /// The name that identifies the service in requests.
    public var name: String
    /// The display name of the service.
    public var label: String

    /// Creates a service for use in tests.
    public init(name: String, label: String? = nil) {
        self.name = name
        self.label = label ?? name
    }
}

extension Attribute: Readable, Encodable {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        template = try? fields.text("template")
        name = try fields.required("name").lenientText()
        label = (try? fields.text("label")) ?? name
        group = (try? fields.read(AttributeGroup.self, "group")) ?? AttributeGroup(name: "")
        serviceInfo = try? fields.read(AttributeService.self, "service")
        active = fields.flag("active")
        priority = fields.optional("priority") { (value) throws(TapeFailure) in try value.lenientInt() } ?? 0
        manual = fields.flag("manual")
        let type = fields.optional("value_type") { (value) throws(TapeFailure) in try value.lenientInt() }
        valueType = type.map(ValueType.init(rawValue:)) ?? .unknown(-1)
        valueTypeDescription = try? fields.text("value_type_description")
        availableServices = fields.lenientList("available_services") { (item) throws(TapeFailure) in
            try AttributeService(reading: item)
        }
        (values, unreadableValues) = ([], [])
        guard let list = fields.present("values") else { return }
        do throws(TapeFailure) {
            (values, unreadableValues) = try valueType.values(in: list)
        } catch {
            unreadableValues.add(0) { list.reason(error) }
        }
    }

    private enum CodingKeys: String, SnakeCaseKey {
        case template, name, label, group, active, priority, manual, valueType, valueTypeDescription, values
        case serviceInfo = "service"
        case availableServices
    }
}

extension AttributeGroup: Readable {
    /// Decodes an object, or only a name, as some responses contain it.
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        guard source.kind == .object else {
            self.init(name: try source.lenientText())
            return
        }
        var fields = try source.fields()
        self.init(
            name: try fields.required("name").text(), label: try? fields.text("label"),
            priority: (try? fields.int("priority")) ?? 0)
    }
}

extension AttributeService: Readable {
    /// Decodes an object, or only a name, as older responses contain it.
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        guard source.kind == .object else {
            self.init(name: try source.lenientText())
            return
        }
        var fields = try source.fields()
        self.init(name: try fields.required("name").text(), label: try? fields.text("label"))
    }
}
