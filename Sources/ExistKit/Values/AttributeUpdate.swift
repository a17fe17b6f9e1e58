import Foundation
import PledgeHTTP

/// A day's total to store. Mixed lists are fine: `[FloatAttributeUpdate(…), IntAttributeUpdate(…)]`.
public protocol AttributeUpdate: Sendable {
    /// The attribute's name.
    var name: String { get }
    /// The day.
    var day: ExistDay { get }
    /// The total of that day; it replaces what was there.
    var update: AttributeValue { get }
}

/// A whole number to store, for counts, minutes, times of day, tags (1 or 0) and ratings (1 to 9).
public struct IntAttributeUpdate: AttributeUpdate, Equatable {
    /// The attribute's name.
    public var name: String
    /// The day.
    public var day: ExistDay
    /// The number.
    public var value: Int
    /// The number as it is sent.
    public var update: AttributeValue { .integer(value) }

    /// For a day.
    public init(name: String, day: ExistDay, value: Int) {
        self.name = name
        self.day = day
        self.value = value
    }

    /// For the day a moment belongs to, in the device's time zone unless another is given.
    public init(name: String, date: Date, value: Int, in zone: TimeZone = .current) {
        self.init(name: name, day: ExistDay(date, in: zone), value: value)
    }
}

/// A number to store, for decimals and fractions.
public struct FloatAttributeUpdate: AttributeUpdate, Equatable {
    /// The attribute's name.
    public var name: String
    /// The day.
    public var day: ExistDay
    /// The number, in metric units; finite.
    public var value: Double
    /// The number as it is sent.
    public var update: AttributeValue { .decimal(value) }

    /// For a day.
    public init(name: String, day: ExistDay, value: Double) {
        self.name = name
        self.day = day
        self.value = value
    }

    /// For the day a moment belongs to, in the device's time zone unless another is given.
    public init(name: String, date: Date, value: Double, in zone: TimeZone = .current) {
        self.init(name: name, day: ExistDay(date, in: zone), value: value)
    }
}

/// Text to store.
public struct StringAttributeUpdate: AttributeUpdate, Equatable {
    /// The attribute's name.
    public var name: String
    /// The day.
    public var day: ExistDay
    /// The text.
    public var value: String
    /// The text as it is sent.
    public var update: AttributeValue { .text(value) }

    /// For a day.
    public init(name: String, day: ExistDay, value: String) {
        self.name = name
        self.day = day
        self.value = value
    }

    /// For the day a moment belongs to, in the device's time zone unless another is given.
    public init(name: String, date: Date, value: String, in zone: TimeZone = .current) {
        self.init(name: name, day: ExistDay(date, in: zone), value: value)
    }
}

/// A time of day to store.
public struct TimeOfDayAttributeUpdate: AttributeUpdate, Equatable {
    /// The attribute's name.
    public var name: String
    /// The day, which for a bedtime after midnight is the day before.
    public var day: ExistDay
    /// The time.
    public var value: TimeOfDay
    /// Whether the attribute counts from midday, as ``ValueType/minFromMidday`` does; else it counts from midnight.
    public var isFromMidday: Bool
    /// The minutes as they are sent.
    public var update: AttributeValue { .integer(isFromMidday ? value.minutesFromMidday : value.minutesFromMidnight) }

    /// For a day.
    ///
    /// - Parameters:
    ///   - name: the attribute's name.
    ///   - day: the day.
    ///   - value: the time.
    ///   - isFromMidday: whether the attribute counts from midday: of the templates only `sleep_start`, the bedtime.
    public init(name: String, day: ExistDay, value: TimeOfDay, isFromMidday: Bool? = nil) {
        self.name = name
        self.day = day
        self.value = value
        self.isFromMidday = isFromMidday ?? (name == "sleep_start")
    }
}

/// https://developer.exist.io/reference/writing_data/
extension Endpoint where Response == AttributeUpdateResponse {
    static func update(_ updates: [any AttributeUpdate]) throws -> Endpoint {
        let items = updates.map { WriteItem(name: $0.name, date: $0.day, value: $0.update) }
        return try .batch("attributes/update/", items, isRepeatable: true)
    }
}

extension ExistAPI {
    /// Stores day totals of attributes this service owns. Wraps `POST attributes/update/`.
    ///
    /// - Parameter attributes: any number, for any days; the service gets 35 at a time. A later total replaces an
    ///   earlier one.
    /// - Returns: what was stored and what was not. With no attributes nothing is sent.
    /// - Rejects: with ``ExistError``: if a request fails as a whole, or a number is not finite.
    /// - Cancellation: ends the request under way, and sends no other.
    public func update(attributes: [any AttributeUpdate]) -> Promise<UpdateReply> {
        let sent = attributes.map { SentItem(name: $0.name, day: $0.day, value: $0.update) }
        return write(attributes, sent) { try .update($0) }
            .map(on: .pledge) { (attributeResponse: $0, response: $1) }
    }
}
