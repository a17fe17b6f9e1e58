import PledgeModels

/// An attribute that was acquired or released.
public struct SuccessfulAttribute: Decodable, Sendable, Equatable {
    /// Its name.
    public var name: String
    /// Whether it is in use now; nil where the service does not say.
    public var active: Bool?

    /// An item, as for tests.
    public init(name: String, active: Bool? = nil) {
        self.name = name
        self.active = active
    }

    private enum CodingKeys: String, CodingKey {
        case name, active
    }

    /// Reads an item; `active` may be text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        active = try container.decodeIfPresent(LenientBool.self, forKey: .active)?.value
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

/// An attribute that was not acquired or released.
public struct FailedAttribute: Decodable, Sendable, Equatable {
    /// Its name, as far as the service repeats one.
    public var name: String?
    /// The template that was asked for, if one was.
    public var template: String?
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

    private enum CodingKeys: String, CodingKey {
        case name, template, title, error
        case errorCode = "error_code"
    }

    /// Reads an item; nothing is required.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        template = try container.decodeIfPresent(String.self, forKey: .template)
        name = try container.decodeIfPresent(String.self, forKey: .name) ?? template
        if name == nil { name = try container.decodeIfPresent(String.self, forKey: .title) }
        errorCode = try container.decodeIfPresent(BatchErrorCode.self, forKey: .errorCode) ?? .unknown
        error = try container.decodeIfPresent(String.self, forKey: .error) ?? ""
    }
}

/// A value that was stored.
public struct SuccessfullyUpdatedAttribute: Decodable, Sendable, Equatable {
    /// The attribute's name.
    public var name: String
    /// The day, where the service repeats it.
    public var day: ExistDay?
    /// What was stored.
    public var value: AttributeValue?

    /// An item, as for tests.
    public init(name: String, day: ExistDay?, value: AttributeValue?) {
        self.name = name
        self.day = day
        self.value = value
    }

    private enum CodingKeys: String, CodingKey {
        case name, value
        case day = "date"
    }
}

/// A value that was not stored.
public struct FailedToUpdateAttribute: Decodable, Sendable, Equatable {
    /// The attribute's name, as far as the service repeats it.
    public var name: String?
    /// The day, as far as the service repeats it.
    public var day: ExistDay?
    /// What was sent, as far as the service repeats it.
    public var value: AttributeValue?
    /// Why.
    public var errorCode: BatchErrorCode
    /// Why, in the service's words.
    public var error: String

    /// An item, as for tests.
    public init(name: String?, day: ExistDay?, value: AttributeValue?, errorCode: BatchErrorCode, error: String) {
        self.name = name
        self.day = day
        self.value = value
        self.errorCode = errorCode
        self.error = error
    }

    private enum CodingKeys: String, CodingKey {
        case name, value, error
        case day = "date"
        case errorCode = "error_code"
    }

    /// Reads an item; nothing is required.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decodeIfPresent(String.self, forKey: .name)
        // A day that is none is what failed, perhaps.
        day = try? container.decodeIfPresent(ExistDay.self, forKey: .day)
        value = try container.decodeIfPresent(AttributeValue.self, forKey: .value)
        errorCode = try container.decodeIfPresent(BatchErrorCode.self, forKey: .errorCode) ?? .unknown
        error = try container.decodeIfPresent(String.self, forKey: .error) ?? ""
    }
}
