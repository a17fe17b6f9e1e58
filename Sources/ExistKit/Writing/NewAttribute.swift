/// An attribute to be created.
public struct NewAttribute: Sendable, Equatable {
    let item: SentItem

    /// Returns an attribute to be created from a template. By default, the service assumes that it is tracked manually.
    public static func template(_ template: String, manual: Bool? = nil) -> NewAttribute {
        NewAttribute(item: SentItem(template: template, manual: manual))
    }

    /// Returns a custom attribute. The service derives its name from the label; read it from the response and store it.
    ///
    /// - Parameters:
    ///   - label: The display name of the attribute.
    ///   - group: The name of an existing group.
    ///   - valueType: The type of the values. ``ValueType/minFromMidday`` is reserved for templates.
    ///   - manual: Whether the user tracks the attribute manually. Nil leaves it to the service, which assumes so.
    public static func custom(
        label: String, group: String, valueType: ValueType, manual: Bool? = nil
    ) -> NewAttribute {
        NewAttribute(item: SentItem(label: label, group: group, valueType: valueType, manual: manual))
    }

    /// Returns a custom tag, which can be set and cleared for each day: by the user, unless `manual` is false.
    public static func tag(_ label: String, manual: Bool? = nil) -> NewAttribute {
        .custom(label: label, group: "custom", valueType: .boolean, manual: manual)
    }
}

extension Attribute: WrittenItem {
    var echo: SentItem { SentItem(name: name, template: template, label: label) }
}

/// The result of creating attributes.
public typealias AttributeCreateResponse = WriteResult<Attribute>
