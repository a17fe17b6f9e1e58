import Foundation
import PledgeCoding

/// Something Exist tracks for a user, such as steps or mood, with its values by day where they were asked for.
///
/// https://developer.exist.io/reference/object_types/#attribute
public struct Attribute: Sendable, Equatable {
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

    /// The name of the service that owns it and fills it.
    public var service: String? { serviceInfo?.name }

    /// A value and its day.
    public typealias DayValue = DatedValue<AttributeValue>

    /// Makes an attribute by hand, for tests.
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
public struct AttributeGroup: Sendable, Hashable {
    /// What it is called in requests.
    public var name: String
    /// What it is called for people.
    public var label: String
    /// Where it comes; smaller is earlier.
    public var priority: Int

    /// Makes a group by hand, for tests.
    public init(name: String, label: String? = nil, priority: Int = 0) {
        self.name = name
        self.label = label ?? name
        self.priority = priority
    }
}

/// A service that fills attributes.
public struct AttributeService: Sendable, Hashable {
    /// What it is called in requests.
    public var name: String
    /// What it is called for people.
    public var label: String

    /// Makes a service by hand, for tests.
    public init(name: String, label: String? = nil) {
        self.name = name
        self.label = label ?? name
    }
}

extension Attribute: Readable {
    /// Only its name is required.
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        var fields = try source.fields()
        template = try fields.repeatedText("template")
        name = try fields.required("name").repeatedText()
        label = try fields.repeatedText("label") ?? name
        group = try fields.read(AttributeGroup.self, "group") ?? AttributeGroup(name: "")
        serviceInfo = try fields.read(AttributeService.self, "service")
        active = try fields.flag("active")
        priority = try fields.int("priority") ?? 0
        manual = try fields.flag("manual")
        valueType = try fields.int("value_type").map(ValueType.init(rawValue:)) ?? .unknown(-1)
        valueTypeDescription = try fields.repeatedText("value_type_description")
        availableServices = try fields.list("available_services") { (item) throws(Source.Failure) in
            try AttributeService(reading: item)
        }
        (values, unreadableValues) = ([], [])
        if let list = fields.present("values") { (values, unreadableValues) = try valueType.values(in: list) }
    }
}

extension AttributeGroup: Readable {
    /// An object, or just a name, as some replies have it.
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        guard source.kind == .object else {
            self.init(name: try source.repeatedText())
            return
        }
        var fields = try source.fields()
        self.init(
            name: try fields.required("name").repeatedText(), label: try fields.repeatedText("label"),
            priority: try fields.int("priority") ?? 0)
    }
}

extension AttributeService: Readable {
    /// An object, or just a name, as older replies have it.
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        guard source.kind == .object else {
            self.init(name: try source.repeatedText())
            return
        }
        var fields = try source.fields()
        self.init(name: try fields.required("name").repeatedText(), label: try fields.repeatedText("label"))
    }
}
