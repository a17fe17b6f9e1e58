import PledgeCoding

/// A template for attributes. Attributes created from the same template mean the same for every user.
///
/// https://developer.exist.io/reference/object_types/
public struct AttributeTemplate: Sendable, Equatable {
    /// The name that identifies the template in requests.
    public var name: String
    /// The display name of the template.
    public var label: String
    /// The group the template belongs to.
    public var group: AttributeGroup
    /// The template's position in its group; 10 or more is "low priority".
    public var priority: Int
    /// The type of the values.
    public var valueType: ValueType
    /// The service's description of the type.
    public var valueTypeDescription: String?

    /// Creates a template for use in tests.
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
    /// Reads an attribute without an owner.
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        let attribute = try Attribute(reading: source)
        self.init(
            name: attribute.name, label: attribute.label, group: attribute.group, priority: attribute.priority,
            valueType: attribute.valueType, valueTypeDescription: attribute.valueTypeDescription)
    }
}

/// https://developer.exist.io/reference/attributes/
extension ExistQuery {
    /// A query for the templates of attributes. `GET attributes/templates/`
    ///
    /// - Parameters:
    ///   - groups: The groups to include; nil for all.
    ///   - includeLowPriority: Whether to include templates with a priority of 10 or more.
    ///   - limit: The maximum number of templates per page, at most 100.
    ///   - page: The number of the page, starting at 1.
    public static func templates(
        groups: [String]? = nil, includeLowPriority: Bool = false, limit: Int? = nil, page: Int = 1
    ) -> ExistQuery<AttributeTemplate> {
        ExistQuery<AttributeTemplate>(
            "attributes/templates/", ["include_low_priority": includeLowPriority ? true : nil, "groups": groups],
            limit: limit, page: page, identity: \.name)
    }
}
