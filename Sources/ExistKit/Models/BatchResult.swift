/// What became of the items of a write: the service does what it can, and says what it could not.
public struct BatchResult<Success: Decodable & Sendable, Failure: Decodable & Sendable>: Decodable, Sendable {
    /// Items that were done.
    public var success: [Success]
    /// Items that were not, and why.
    public var failed: [Failure]
    /// Items of the reply that could not be read.
    public var unreadable: [UnreadableItem]

    /// A result, as for tests.
    public init(success: [Success] = [], failed: [Failure] = []) {
        self.success = success
        self.failed = failed
        unreadable = []
    }

    private enum CodingKeys: String, CodingKey {
        case success, failed
    }

    /// Reads a reply; either list may be missing.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let done = try container.decodeIfPresent(ItemList<Success>.self, forKey: .success)
        let not = try container.decodeIfPresent(ItemList<Failure>.self, forKey: .failed)
        guard done != nil || not != nil else {
            throw DecodingError.keyNotFound(
                CodingKeys.success,
                .init(codingPath: container.codingPath, debugDescription: "neither success nor failed is there"))
        }
        success = done?.items ?? []
        failed = not?.items ?? []
        unreadable = (done?.unreadable ?? []) + (not?.unreadable ?? [])
    }

    /// This, and what a later call did.
    func merged(with later: BatchResult) -> BatchResult {
        var all = self
        all.success += later.success
        all.failed += later.failed
        all.unreadable += later.unreadable
        return all
    }
}

/// What acquiring or releasing attributes led to.
public typealias AttributeResponse = BatchResult<SuccessfulAttribute, FailedAttribute>
/// What writing values led to.
public typealias AttributeUpdateResponse = BatchResult<SuccessfullyUpdatedAttribute, FailedToUpdateAttribute>

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
