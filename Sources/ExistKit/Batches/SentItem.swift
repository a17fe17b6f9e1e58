import PledgeCoding

extension Attribute: BatchItem {
    /// Its name.
    public var itemName: String? { name }
    /// Its template.
    public var itemTemplate: String? { template }
    /// Its label.
    public var itemLabel: String? { label }
}

/// An attribute that was acquired or released.
public struct SuccessfulAttribute: BatchItem, Equatable {
    /// Its name.
    public var name: String
    /// The template that was asked for, if one was.
    public var template: String?
    /// Whether it is in use now; nil where the service does not say.
    public var active: Bool?
    /// All about it, if that was asked for.
    public var attribute: Attribute?

    /// An item, as for tests.
    public init(name: String, template: String? = nil, active: Bool? = nil, attribute: Attribute? = nil) {
        self.name = name
        self.template = template
        self.active = active
        self.attribute = attribute
    }

    /// Its name.
    public var itemName: String? { name }
    /// Its template.
    public var itemTemplate: String? { template }
}

extension SuccessfulAttribute: Readable {
    /// `active` may be text.
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        var fields = try source.fields()
        name = try fields.required("name").repeatedText()
        template = try fields.repeatedText("template")
        active = try fields.flag("active")
        attribute = fields.value("value_type") == nil ? nil : try Attribute(reading: source)
    }
}

/// Why an item failed: the service's word, of which there may be others.
public struct BatchErrorCode: RawRepresentable, Hashable, Sendable, Codable {
    /// The word.
    public let rawValue: String

    /// Any word.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Something the item needs was not there.
    public static let missingField = BatchErrorCode(rawValue: "missing_field")
    /// The attribute belongs to another service: acquire it first.
    public static let unauthorised = BatchErrorCode(rawValue: "unauthorised")
    /// The value does not fit the attribute.
    public static let validation = BatchErrorCode(rawValue: "validation")
    /// The service gave none.
    public static let unknown = BatchErrorCode(rawValue: "unknown")
}

/// An attribute that was not acquired, released or made.
public struct FailedAttribute: BatchItem, Equatable {
    /// Where it stood among the items that were given, from 0; nil where the service does not let that be known.
    public var index: Int?
    /// What was sent; nil where the service does not let that be known.
    public var sent: SentItem?
    /// Its name, as far as the service repeats one.
    public var name: String?
    /// The template that was asked for, if one was.
    public var template: String?
    /// The label that was asked for, if one was.
    public var label: String?
    /// Why.
    public var errorCode: BatchErrorCode
    /// Why, in the service's words.
    public var error: String

    /// An item, as for tests.
    public init(name: String?, template: String? = nil, errorCode: BatchErrorCode, error: String) {
        self.name = name
        self.template = template
        self.errorCode = errorCode
        self.error = error
    }

    /// Its name.
    public var itemName: String? { name }
    /// Its template.
    public var itemTemplate: String? { template }
    /// Its label.
    public var itemLabel: String? { label }
    /// Why, in the service's words.
    public var itemError: String? { error }

    /// Fills in what the service left out.
    public mutating func complete(from sent: SentItem, at index: Int) {
        self.index = index
        self.sent = sent
        name = name ?? sent.name ?? sent.template
        template = template ?? sent.template
        label = label ?? sent.label
    }
}

extension FailedAttribute: Readable {
    /// Nothing is required.
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        var fields = try source.fields()
        template = try fields.repeatedText("template")
        label = try fields.text("label")
        name = try fields.text("name") ?? template
        if name == nil { name = try fields.text("title") }
        errorCode = try fields.repeatedText("error_code").map(BatchErrorCode.init(rawValue:)) ?? .unknown
        error = try fields.text("error") ?? ""
    }
}
