import PledgeCoding

/// A value that was stored or incremented.
public struct UpdatedAttribute: Sendable, Equatable {
    /// The position among the given items, starting at 0; nil if the response does not identify the item.
    public var index: Int?
    /// The name of the attribute.
    public var name: String
    /// The day, if it was sent or the service returned it.
    public var day: ExistDay?
    /// The value that was stored, or the amount that was added.
    public var value: AttributeValue?
    /// The new total, if an amount was added.
    public var current: AttributeValue?

    /// Creates an item for use in tests.
    public init(name: String, day: ExistDay?, value: AttributeValue?, current: AttributeValue? = nil) {
        self.name = name
        self.day = day
        self.value = value
        self.current = current
    }
}

extension UpdatedAttribute: Readable, Encodable {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        name = try fields.required("name").lenientText()
        day = fields.day("date")
        value = try? fields.read(AttributeValue.self, "value")
        current = try? fields.read(AttributeValue.self, "current")
    }

    private enum CodingKeys: String, CodingKey {
        case name, value, current
        case day = "date"
    }
}

extension UpdatedAttribute: WrittenItem {
    var echo: SentItem { SentItem(name: name, day: day, value: value) }

    mutating func complete(from sent: SentItem, at index: Int) {
        self.index = index
        day = day ?? sent.day
        value = value ?? sent.value
    }
}

/// The result of storing or incrementing values.
public typealias AttributeUpdateResponse = WriteResult<UpdatedAttribute>
