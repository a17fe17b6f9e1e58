/// A value that was stored.
public struct SuccessfullyUpdatedAttribute: BatchItem, Equatable {
    /// Where it stood among the items that were given, from 0; nil where the service does not let that be known.
    public var index: Int?
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

    /// Its name.
    public var itemName: String? { name }
    /// Its day.
    public var itemDay: ExistDay? { day }
    /// Its value.
    public var itemValue: AttributeValue? { value }

    /// Fills in what the service left out.
    public mutating func complete(from sent: SentItem, at index: Int) {
        self.index = index
        day = day ?? sent.day
        value = value ?? sent.value
    }

    private enum CodingKeys: String, CodingKey {
        case name, value
        case day = "date"
    }

    /// Reads an item; only the name is required.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        day = try? container.decodeIfPresent(ExistDay.self, forKey: .day)
        value = try container.decodeIfPresent(AttributeValue.self, forKey: .value)
    }
}

/// A total that was added to.
public struct IncrementedAttribute: BatchItem, Equatable {
    /// Where it stood among the items that were given, from 0; nil where the service does not let that be known.
    public var index: Int?
    /// The attribute's name.
    public var name: String
    /// The day, where the service repeats it or it was sent.
    public var day: ExistDay?
    /// What was added.
    public var value: AttributeValue?
    /// The total now.
    public var current: AttributeValue?

    /// An item, as for tests.
    public init(name: String, day: ExistDay?, value: AttributeValue?, current: AttributeValue?) {
        self.name = name
        self.day = day
        self.value = value
        self.current = current
    }

    /// Its name.
    public var itemName: String? { name }
    /// Its day.
    public var itemDay: ExistDay? { day }
    /// Its value.
    public var itemValue: AttributeValue? { value }

    /// Fills in what the service left out.
    public mutating func complete(from sent: SentItem, at index: Int) {
        self.index = index
        day = day ?? sent.day
        value = value ?? sent.value
    }

    private enum CodingKeys: String, CodingKey {
        case name, value, current
        case day = "date"
    }

    /// Reads an item; only the name is required.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        day = try? container.decodeIfPresent(ExistDay.self, forKey: .day)
        value = try container.decodeIfPresent(AttributeValue.self, forKey: .value)
        current = try container.decodeIfPresent(AttributeValue.self, forKey: .current)
    }
}

/// A value that was not stored.
public struct FailedToUpdateAttribute: BatchItem, Equatable {
    /// Where it stood among the items that were given, from 0; nil where the service does not let that be known.
    public var index: Int?
    /// What was sent; nil where the service does not let that be known.
    public var sent: SentItem?
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

    /// Its name.
    public var itemName: String? { name }
    /// Its day.
    public var itemDay: ExistDay? { day }
    /// Its value.
    public var itemValue: AttributeValue? { value }
    /// Why, in the service's words.
    public var itemError: String? { error }

    /// Fills in what the service left out.
    public mutating func complete(from sent: SentItem, at index: Int) {
        self.index = index
        self.sent = sent
        name = name ?? sent.name
        day = day ?? sent.day
        value = value ?? sent.value
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
