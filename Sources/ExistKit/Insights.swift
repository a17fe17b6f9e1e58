import Foundation
import PledgeCoding
import PledgeHTTP

/// https://developer.exist.io/reference/insights/
extension ExistAPI {
    /// Fetches a page of insights. Wraps `GET insights/`.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of insights per page, at most 100. The default is 100.
    ///   - page: The number of the page, starting at 1.
    ///   - first: The first day to include.
    ///   - last: The last day to include.
    public func insights(
        limit: Int? = nil, page: Int? = nil, from first: ExistDay? = nil, through last: ExistDay? = nil
    ) -> Promise<InsightsOutput> {
        self.page(.insights(from: first, through: last, limit: limit, page: page ?? 1))
            .map(on: nil) { (insights: $0.page, response: $0.response) }
    }

    /// Fetches all insights of the given number of days, page by page. Wraps `GET insights/`.
    ///
    /// The last of these days is the current day in the client's time zone.
    public func insights(days: Int) -> Promise<InsightsOutput> {
        allPages(.insights(from: today.advanced(by: 1 - max(days, 1))))
            .map(on: nil) { (insights: $0.value, response: $0.response.urlResponse) }
    }
}

extension ExistQuery {
    /// Returns a query for insights, newest first. It requests `GET insights/`.
    ///
    /// - Parameters:
    ///   - first: The first day to include.
    ///   - last: The last day to include.
    ///   - priority: The priority of the insights to include; nil for all. It is 1 for insights about today, 2 for the
    ///     day, 3 for the week, and 4 for the month.
    ///   - limit: The maximum number of insights per page, at most 100.
    ///   - page: The number of the page, starting at 1.
    public static func insights(
        from first: ExistDay? = nil, through last: ExistDay? = nil, priority: Int? = nil, limit: Int? = nil,
        page: Int = 1
    ) -> ExistQuery<Insight> {
        ExistQuery<Insight>(
            "insights/",
            ["date_min": first, "date_max": last, "priority": priority], limit: limit,
            page: page, identity: { HashKey($0.type.name, and: $0.created) })
    }
}

/// An observation that Exist made in a user's data (<https://developer.exist.io/reference/insights/>).
public struct Insight: Sendable, Equatable {
    /// The time at which the insight was created. A time that the service wrote without a UTC offset is read as UTC.
    public var created: Date
    /// The UTC offset in seconds with which the service wrote ``created``; nil if the text contained no offset.
    @Uncompared package var createdOffset: Int? = nil
    /// The day that the insight is about; nil for an insight about a week or a month.
    public var targetDay: ExistDay?
    /// The first moment of ``targetDay`` in the device's time zone.
    public var targetDate: Date? { targetDay?.date }
    /// The kind of the insight.
    public var type: InsightType
    /// The text of the insight as HTML, for display.
    public var html: String
    /// The text of the insight without HTML. It may contain line breaks.
    public var text: String

    /// Creates an insight for use in tests.
    public init(created: Date, targetDay: ExistDay? = nil, type: InsightType, text: String, html: String = "") {
        self.created = created
        self.targetDay = targetDay
        self.type = type
        self.text = text
        self.html = html
    }
}

/// A kind of insight, with the attribute that the insight is about.
public struct InsightType: Sendable, Equatable, Encodable {
    /// The service's name for the kind.
    public var name: String
    /// The number of days that the insight covers.
    public var period: Int?
    /// The priority of the insight: 1 for today, 2 for the day, 3 for the week, 4 for the month.
    public var priority: Int?
    /// The attribute that the insight is about; nil if there is none.
    public var attribute: InsightAttribute?

    /// Creates a kind of insight for use in tests.
    public init(name: String, period: Int? = nil, priority: Int? = nil, attribute: InsightAttribute? = nil) {
        self.name = name
        self.period = period
        self.priority = priority
        self.attribute = attribute
    }
}

/// The attribute that an insight is about.
public struct InsightAttribute: Sendable, Equatable {
    /// The name that identifies the attribute in requests.
    public var name: String
    /// The display name of the attribute.
    public var label: String?
    /// The group that the attribute belongs to.
    public var group: AttributeGroup?
    /// The attribute's position in its group. A smaller number comes earlier.
    public var priority: Int?
    /// The type of the attribute's values.
    public var valueType: ValueType?
    /// The service's description of ``valueType``.
    public var valueTypeDescription: String?

    /// Creates an attribute for use in tests.
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

extension Insight: Readable, Encodable {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        let time = try fields.required("created").parsed("it is not a date and time") { Timestamp.parse($0) }
        created = time.date
        createdOffset = time.offset
        targetDay = fields.day("target_date")
        type = try InsightType(reading: fields.required("type"))
        html = fields.text("html") ?? ""
        text = fields.text("text") ?? ""
    }

    private enum CodingKeys: String, CodingKey {
        case created, type, html, text
        case targetDay = "target_date"
    }
}

extension InsightType: Readable {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        name = try fields.required("name").lenientText()
        period = fields.int("period")
        priority = fields.int("priority")
        attribute = fields.read(InsightAttribute.self, "attribute")
    }
}

extension InsightAttribute: Readable, Encodable {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        name = try fields.required("name").text()
        label = fields.text("label")
        group = fields.read(AttributeGroup.self, "group")
        priority = fields.int("priority")
        valueType = fields.int("value_type").map(ValueType.init(rawValue:))
        valueTypeDescription = fields.text("value_type_description")
    }

    private enum CodingKeys: String, CodingKey {
        case name, label, group, priority
        case valueType = "value_type"
        case valueTypeDescription = "value_type_description"
    }
}
