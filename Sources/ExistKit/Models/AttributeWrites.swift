import Foundation
import PledgeCoding

/// An attribute to become the owner of.
public struct AttributeClaim: Encodable, Sendable, Equatable {
    var name: String?
    var template: String?
    var manual: Bool?

    /// Whatever attribute of the user has this name, which may be one of their own making.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - manual: whether the user goes on filling it in by hand; nil leaves that as it is.
    public static func name(_ name: String, manual: Bool? = nil) -> AttributeClaim {
        AttributeClaim(name: name, manual: manual)
    }

    /// The attribute made from this template, which is made if the user has none.
    ///
    /// - Parameters:
    ///   - template: the template's name.
    ///   - manual: whether the user fills it in by hand; say false if your program does.
    public static func template(_ template: String, manual: Bool? = nil) -> AttributeClaim {
        AttributeClaim(template: template, manual: manual)
    }
}

/// An attribute to make.
public struct NewAttribute: Encodable, Sendable, Equatable {
    var template: String?
    var label: String?
    var group: String?
    var valueType: ValueType?
    var manual: Bool?

    /// One from a template.
    ///
    /// - Parameters:
    ///   - template: the template's name.
    ///   - manual: whether the user fills it in by hand, which is what the service assumes.
    public static func template(_ template: String, manual: Bool? = nil) -> NewAttribute {
        NewAttribute(template: template, manual: manual)
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
        NewAttribute(label: label, group: group, valueType: valueType, manual: manual)
    }

    /// A tag of the user's own, to be set and cleared by day.
    ///
    /// - Parameters:
    ///   - label: what it is called for people.
    ///   - manual: whether the user sets it by hand, which is what the service assumes.
    public static func tag(_ label: String, manual: Bool? = nil) -> NewAttribute {
        .custom(label: label, group: "custom", valueType: .boolean, manual: manual)
    }

    private enum CodingKeys: String, CodingKey {
        case template, label, group, manual
        case valueType = "value_type"
    }
}

/// Something to add to a day's total, for counts, decimals and durations.
public struct AttributeIncrement: Sendable, Equatable {
    /// The attribute's name.
    public var name: String
    /// How much to add.
    public var value: AttributeValue
    /// The day; nil for the user's today.
    public var day: ExistDay?

    /// A whole number to add.
    public init(name: String, by value: Int, on day: ExistDay? = nil) {
        self.name = name
        self.value = .integer(value)
        self.day = day
    }

    /// A number to add; finite.
    public init(name: String, by value: Double, on day: ExistDay? = nil) {
        self.name = name
        self.value = .decimal(value)
        self.day = day
    }
}
