import PledgeCoding
import PledgeHTTP

/// A value that was stored, or added to.
public struct UpdatedAttribute: Sendable, Equatable {
    /// Where it stood among the items that were given, from 0; nil where the service does not let that be known.
    public var index: Int?
    /// The name of the attribute.
    public var name: String
    /// The day, where the service repeats it or it was sent.
    public var day: ExistDay?
    /// What was stored, or what was added.
    public var value: AttributeValue?
    /// The total now, of what was added to.
    public var current: AttributeValue?

    /// Makes an item by hand, for tests.
    public init(name: String, day: ExistDay?, value: AttributeValue?, current: AttributeValue? = nil) {
        self.name = name
        self.day = day
        self.value = value
        self.current = current
    }
}

extension UpdatedAttribute: Readable {
    /// Only the name is required.
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        var fields = try source.fields()
        name = try fields.required("name").repeatedText()
        day = fields.day("date")
        value = try fields.read(AttributeValue.self, "value")
        current = try fields.read(AttributeValue.self, "current")
    }
}

extension UpdatedAttribute: BatchItem {
    var echo: SentItem { SentItem(name: name, day: day, value: value) }

    mutating func complete(from sent: SentItem, at index: Int) {
        self.index = index
        day = day ?? sent.day
        value = value ?? sent.value
    }
}

/// What storing values, or adding to them, led to.
public typealias AttributeUpdateResponse = BatchResult<UpdatedAttribute>

/// https://developer.exist.io/reference/writing_data/
extension ExistAPI {
    /// Stores day totals of attributes this service owns. Wraps `POST attributes/update/`.
    ///
    /// - Parameter attributes: any number, for any days; the service gets 35 at a time. A later total replaces an
    ///   earlier one.
    /// - Returns: what was stored and what was not. With no attributes nothing is sent.
    /// - Rejects: with ``ExistError``: if a request fails as a whole, or a number is not finite.
    /// - Cancellation: ends the request under way, and sends no other.
    public func update(attributes: [any AttributeUpdate]) -> Promise<UpdateReply> {
        let items = attributes.map { SentItem(name: $0.name, day: $0.day, value: $0.update) }
        return write("attributes/update/", items, isRepeatable: true)
    }
}
