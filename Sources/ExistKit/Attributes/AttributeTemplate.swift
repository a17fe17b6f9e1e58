import PledgeCoding

/// What attributes can be made from; those made from the same template mean the same for every user.
///
/// https://developer.exist.io/reference/object_types/
public struct AttributeTemplate: Sendable, Equatable {
    /// What it is called in requests.
    public var name: String
    /// What it is called for people.
    public var label: String
    /// What it belongs to.
    public var group: AttributeGroup
    /// Where it comes in its group; 10 or more is "low priority".
    public var priority: Int
    /// What kind of value it holds.
    public var valueType: ValueType
    /// The kind in the service's words.
    public var valueTypeDescription: String?

    /// Makes a template by hand, for tests.
    public init(
        name: String, label: String? = nil, group: AttributeGroup, priority: Int = 1, valueType: ValueType,
        valueTypeDescription: String? = nil
    ) {
        self.name = name
        self.label = label ?? name
        self.group = group
        self.priority = priority
        self.valueType = valueType
        self.valueTypeDescription = valueTypeDescription
    }
}

extension AttributeTemplate: Readable {
    /// An attribute without an owner.
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        let attribute = try Attribute(reading: source)
        self.init(
            name: attribute.name, label: attribute.label, group: attribute.group, priority: attribute.priority,
            valueType: attribute.valueType, valueTypeDescription: attribute.valueTypeDescription)
    }
}

/// https://developer.exist.io/reference/attributes/
extension ExistQuery where Item == AttributeTemplate {
    /// What attributes can be made from. `GET attributes/templates/`
    ///
    /// - Parameters:
    ///   - groups: only of these groups; nil for all.
    ///   - includeLowPriority: also those with a priority of 10 or more.
    ///   - limit: how many on a page, at most 100.
    ///   - page: which page, from 1.
    public static func templates(
        groups: [String]? = nil, includeLowPriority: Bool = false, limit: Int? = nil, page: Int = 1
    ) -> ExistQuery {
        ExistQuery(
            "attributes/templates/", ["include_low_priority": includeLowPriority ? true : nil, "groups": groups],
            limit: limit, page: page, identity: \.name)
    }
}
