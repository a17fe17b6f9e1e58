/// An amount to add to a day's total, for counts, decimals, and durations.
public struct AttributeIncrement: Sendable, Equatable {
    /// The name of the attribute to add to.
    public var name: String
    /// The amount to add.
    public var value: AttributeValue
    /// The day; nil for the current day in the user's time zone.
    public var day: ExistDay?
    var item: SentItem { SentItem(name: name, day: day, value: value) }

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
