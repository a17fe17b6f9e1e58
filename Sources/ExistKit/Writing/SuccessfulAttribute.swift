import PledgeCoding

/// An attribute that was acquired or released.
public struct SuccessfulAttribute: Sendable, Equatable {
    /// The name of the attribute.
    public var name: String
    /// The requested template, if there was one.
    public var template: String?
    /// Whether the attribute is now in use; nil if the service does not specify it.
    public var active: Bool?
    /// The complete attribute, if it was requested.
    public var attribute: Attribute?

    /// Creates an item for use in tests.
    public init(name: String, template: String? = nil, active: Bool? = nil, attribute: Attribute? = nil) {
        self.name = name
        self.template = template
        self.active = active
        self.attribute = attribute
    }
}

extension SuccessfulAttribute: Readable, Encodable {
    /// Decodes `active` as a Boolean or as text.
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        name = try fields.required("name").lenientText()
        template = try? fields.text("template")
        active = fields.flag("active")
        attribute = fields.value("value_type") == nil ? nil : try Attribute(reading: source)
    }

    private enum CodingKeys: CodingKey { case name, template, active }

    /// Encodes the complete attribute if there is one.
    public func encode(to encoder: any Encoder) throws {
        if let attribute { return try attribute.encode(to: encoder) }
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(name, forKey: .name)
        try fields.encodeIfPresent(template, forKey: .template)
        try fields.encodeIfPresent(active, forKey: .active)
    }
}

extension SuccessfulAttribute: WrittenItem {
    var echo: SentItem { SentItem(name: name, template: template ?? attribute?.template, label: attribute?.label) }
}

/// The result of acquiring or releasing attributes.
public typealias AttributeResponse = WriteResult<SuccessfulAttribute>
