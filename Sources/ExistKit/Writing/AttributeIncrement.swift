import PledgeHTTP

/// An amount to add to a day's total, for counts, decimals, and durations.
public struct AttributeIncrement: Sendable, Equatable {
    /// The name of the attribute to add to.
    public var name: String
    /// The amount to add.
    public var value: AttributeValue
    /// The day; nil for the current day in the user's time zone.
    public var day: ExistDay?

    /// Creates an increment by a whole number.
    public init(name: String, by value: Int, day: ExistDay? = nil) {
        self.name = name
        self.value = .integer(value)
        self.day = day
    }

    /// Creates an increment by a decimal number, which must be finite.
    public init(name: String, by value: Double, day: ExistDay? = nil) {
        self.name = name
        self.value = .decimal(value)
        self.day = day
    }
}

/// https://developer.exist.io/reference/writing_data/
extension ExistAPI {
    /// Adds to day totals of attributes this service owns. Wraps `POST attributes/increment/`.
    ///
    /// Sent again only if it has had no effect: after an error, read the values before you repeat it.
    ///
    /// - Parameter attributes: Any number of increments, sent 35 at a time. Not for text, ratings, or times of day.
    /// - Returns: The new totals, and the increments that failed.
    /// - Rejects: With ``ExistError``, whose ``ExistError/write`` lists the items that are done or unknown.
    /// - Cancellation: Cancels the request in progress and sends no further requests.
    public func increment(attributes: [AttributeIncrement]) -> Promise<UpdateReply> {
        let items = attributes.map { SentItem(name: $0.name, day: $0.day, value: $0.value) }
        return write("attributes/increment/", items, isRepeatable: false)
    }
}
