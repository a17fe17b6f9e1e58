import PledgeCoding
import PledgeHTTP

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

extension UpdatedAttribute: Readable {
    /// Only the name is required.
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        name = try fields.required("name").repeatedLenientText()
        day = fields.day("date")
        value = try? fields.read(AttributeValue.self, "value")
        current = try? fields.read(AttributeValue.self, "current")
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

/// https://developer.exist.io/reference/writing_data/
extension ExistAPI {
    /// Stores day totals of attributes this service owns. Wraps `POST attributes/update/`.
    ///
    /// - Parameter attributes: Any number of totals, for any days, sent 35 at a time. Later totals replace earlier
    ///   ones.
    /// - Returns: The values that were stored, and those that were not. Without attributes, no request is sent.
    /// - Rejects: With ``ExistError``, if a request fails as a whole or a number is not finite.
    /// - Cancellation: Cancels the request in progress and sends no further requests.
    public func update(attributes: [any AttributeUpdate]) -> Promise<UpdateReply> {
        let items = attributes.map { SentItem(name: $0.name, day: $0.day, value: $0.update) }
        return write("attributes/update/", items, isRepeatable: true)
    }
}
