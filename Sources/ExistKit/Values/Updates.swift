import PledgeCoding

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
}

extension SuccessfullyUpdatedAttribute: Readable {
    /// Only the name is required.
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        var fields = try source.fields()
        name = try fields.required("name").repeatedText()
        day = fields.day("date")
        value = try fields.read(AttributeValue.self, "value")
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
}

extension IncrementedAttribute: Readable {
    /// Only the name is required.
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        var fields = try source.fields()
        name = try fields.required("name").repeatedText()
        day = fields.day("date")
        value = try fields.read(AttributeValue.self, "value")
        current = try fields.read(AttributeValue.self, "current")
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
}

extension FailedToUpdateAttribute: Readable {
    /// Nothing is required.
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        var fields = try source.fields()
        name = try fields.text("name")
        day = fields.day("date")
        value = try fields.read(AttributeValue.self, "value")
        errorCode = try fields.repeatedText("error_code").map(BatchErrorCode.init(rawValue:)) ?? .unknown
        error = try fields.text("error") ?? ""
    }
}

extension FieldSource {
    /// A day that is none is what failed, perhaps: nil.
    mutating func day(_ name: StaticString) -> ExistDay? {
        guard let value = present(name) else { return nil }
        return try? ExistDay(reading: value)
    }
}
