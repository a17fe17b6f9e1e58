import PledgeHTTP

/// An attribute to make.
public struct NewAttribute: Sendable, Equatable {
    let item: SentItem

    /// One from a template.
    ///
    /// - Parameters:
    ///   - template: the template's name.
    ///   - manual: whether the user fills it in by hand, which is what the service assumes.
    public static func template(_ template: String, manual: Bool? = nil) -> NewAttribute {
        NewAttribute(item: SentItem(template: template, manual: manual))
    }

    /// One of its own kind. The service makes its name from the label: read it from the reply, and keep it.
    ///
    /// - Parameters:
    ///   - label: what it is called for people.
    ///   - group: the name of a group there is.
    ///   - valueType: anything but ``ValueType/minFromMidday``, which is kept for templates.
    ///   - manual: whether the user fills it in by hand, which is what the service assumes.
    public static func custom(
        label: String, group: String, valueType: ValueType, manual: Bool? = nil
    ) -> NewAttribute {
        NewAttribute(item: SentItem(label: label, group: group, valueType: valueType, manual: manual))
    }

    /// A tag of the user's own, to be set and cleared by day.
    ///
    /// - Parameters:
    ///   - label: what it is called for people.
    ///   - manual: whether the user sets it by hand, which is what the service assumes.
    public static func tag(_ label: String, manual: Bool? = nil) -> NewAttribute {
        .custom(label: label, group: "custom", valueType: .boolean, manual: manual)
    }
}

extension Attribute: BatchItem {
    var echo: SentItem { SentItem(name: name, template: template, label: label) }
}

/// What making attributes led to.
public typealias AttributeCreateResponse = BatchResult<Attribute>

/// https://developer.exist.io/reference/creating_attributes/
extension ExistAPI {
    /// Makes attributes. Wraps `POST attributes/create/`.
    ///
    /// - Parameter attributes: any number; the service gets 35 at a time. One there is already fails; none is doubled.
    /// - Returns: what was made, with the names the service chose, and what was not.
    /// - Rejects: with ``ExistError``.
    /// - Cancellation: ends the request under way, and sends no other.
    public func create(_ attributes: [NewAttribute]) -> Promise<CreateReply> {
        write("attributes/create/", attributes.map(\.item), successObjects: true, isRepeatable: false)
    }
}
