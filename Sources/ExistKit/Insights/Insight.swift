import Foundation
import PledgeCoding

/// Something Exist noticed in a user's data.
///
/// https://developer.exist.io/reference/insights/
public struct Insight: Sendable, Equatable {
    /// When it was made.
    public var created: Date
    /// The offset from UTC that ``created`` was written with, in seconds; nil where none was read.
    @Uncompared package var createdOffset: Int? = nil
    /// The day it is about; nil for weeks and months.
    public var targetDay: ExistDay?
    /// The first moment of that day on the device.
    public var targetDate: Date? { targetDay?.date }
    /// What kind it is.
    public var type: InsightType
    /// Marked up for display.
    public var html: String
    /// Plain text; may hold line breaks.
    public var text: String

    /// Makes an insight by hand, for tests.
    public init(created: Date, targetDay: ExistDay? = nil, type: InsightType, text: String, html: String = "") {
        self.created = created
        self.targetDay = targetDay
        self.type = type
        self.text = text
        self.html = html
    }
}

/// A kind of insight.
public struct InsightType: Sendable, Equatable {
    /// The service's name for it.
    public var name: String
    /// How many days it looks at.
    public var period: Int?
    /// How urgent it is: 1 today, 2 the day, 3 the week, 4 the month.
    public var priority: Int?
    /// What it is about.
    public var attribute: InsightAttribute?

    /// Makes a kind by hand, for tests.
    public init(name: String, period: Int? = nil, priority: Int? = nil, attribute: InsightAttribute? = nil) {
        self.name = name
        self.period = period
        self.priority = priority
        self.attribute = attribute
    }
}

/// The attribute an insight is about.
public struct InsightAttribute: Sendable, Equatable {
    /// What it is called in requests.
    public var name: String
    /// What it is called for people.
    public var label: String?
    /// What it belongs to.
    public var group: AttributeGroup?
    /// Where it comes in its group.
    public var priority: Int?
    /// What kind of value it holds.
    public var valueType: ValueType?
    /// The kind in the service's words.
    public var valueTypeDescription: String?

    /// Makes an attribute by hand, for tests.
    public init(
        name: String, label: String? = nil, group: AttributeGroup? = nil, priority: Int? = nil,
        valueType: ValueType? = nil, valueTypeDescription: String? = nil
    ) {
        self.name = name
        self.label = label
        self.group = group
        self.priority = priority
        self.valueType = valueType
        self.valueTypeDescription = valueTypeDescription
    }
}

extension Insight: Readable {
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        var fields = try source.fields()
        let time = try fields.required("created").parsed("it is not a date and time") { Timestamp.parse($0) }
        (created, createdOffset) = (time.date, time.offset)
        targetDay = try fields.read(ExistDay.self, "target_date")
        type = try InsightType(reading: fields.required("type"))
        html = try fields.text("html") ?? ""
        text = try fields.text("text") ?? ""
    }
}

extension InsightType: Readable {
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        var fields = try source.fields()
        name = try fields.required("name").repeatedText()
        period = try fields.int("period")
        priority = try fields.int("priority")
        attribute = try fields.read(InsightAttribute.self, "attribute")
    }
}

extension InsightAttribute: Readable {
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        var fields = try source.fields()
        name = try fields.required("name").repeatedText()
        label = try fields.repeatedText("label")
        group = try fields.read(AttributeGroup.self, "group")
        priority = try fields.int("priority")
        valueType = try fields.int("value_type").map(ValueType.init(rawValue:))
        valueTypeDescription = try fields.repeatedText("value_type_description")
    }
}
