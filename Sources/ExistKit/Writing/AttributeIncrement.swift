import PledgeHTTP

/// Something to add to a day's total, for counts, decimals and durations.
public struct AttributeIncrement: Sendable, Equatable {
    /// The name of the attribute to add to.
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

/// https://developer.exist.io/reference/writing_data/
extension ExistAPI {
    /// Adds to day totals of attributes this service owns. Wraps `POST attributes/increment/`.
    ///
    /// Never sent again by itself: after an error, read the values before you repeat it.
    ///
    /// - Parameter attributes: any number; the service gets 35 at a time. Not for text, ratings or times of day.
    /// - Returns: the new totals, and what was not added to.
    /// - Rejects: with ``ExistError``, whose ``ExistError/batch`` says which items are done and which are unknown.
    /// - Cancellation: ends the request under way, and sends no other.
    public func increment(attributes: [AttributeIncrement]) -> Promise<UpdateReply> {
        let items = attributes.map { SentItem(name: $0.name, day: $0.day, value: $0.value) }
        return write("attributes/increment/", items, isRepeatable: false)
    }
}
