import PledgeCoding
import PledgeHTTP

/// https://developer.exist.io/reference/averages/
extension ExistAPI {
    /// Fetches the averages of the user's week. Wraps `GET averages/`.
    ///
    /// - Parameters:
    ///   - attribute: The name of an attribute; nil for all. For several, see ``ExistQuery``.
    ///   - includeHistorical: Whether to include earlier weeks, newest first. By default, only the latest is included.
    ///   - limit: The maximum number per page. Without `limit` and `page`, all pages are fetched.
    ///   - page: The number of the page, starting at 1.
    ///   - first: The first day to include.
    ///   - last: The last day to include.
    public func averages(
        for attribute: String? = nil, includeHistorical: Bool = false, limit: Int? = nil, page: Int? = nil,
        from first: ExistDay? = nil, through last: ExistDay? = nil
    ) -> Promise<AveragesOutput> {
        let query = ExistQuery<Average>.averages(
            names: attribute.map { [$0] }, includeHistorical: includeHistorical, from: first, through: last,
            limit: limit, page: page ?? 1)
        return pageOrAll(query, limit, page).map(on: nil) {
            (averages: $0.value.results, response: $0.response.urlResponse)
        }
    }
}

extension ExistQuery {
    /// A query for the averages of the user's week, of all attributes that the token may read, or of groups or attributes;
    /// the rest is as in ``ExistAPI/averages(for:includeHistorical:limit:page:from:through:)``. `GET averages/`
    public static func averages(
        groups: [String]? = nil, names: [String]? = nil, includeHistorical: Bool = false,
        from first: ExistDay? = nil, through last: ExistDay? = nil, limit: Int? = nil, page: Int = 1
    ) -> ExistQuery<Average> {
        ExistQuery<Average>(
            "averages/",
            [
                "groups": groups, "attributes": names, "include_historical": includeHistorical ? 1 : nil,
                "date_min": first?.description, "date_max": last?.description,
            ], limit: limit, page: page, identity: { HashKey($0.attribute, and: $0.day) })
    }
}

/// The usual week of a user for one attribute: weekly medians of the last 60 days, which Exist calls averages
/// (<https://developer.exist.io/reference/averages/>).
public struct Average: Sendable, Equatable {
    /// The name of the averaged attribute.
    public var attribute: String
    /// The day the average was computed.
    public var day: ExistDay
    /// The average over all days of the week.
    public var overall: Double?
    /// The average of all Mondays.
    public var monday: Double?
    /// The average of all Tuesdays.
    public var tuesday: Double?
    /// The average of all Wednesdays.
    public var wednesday: Double?
    /// The average of all Thursdays.
    public var thursday: Double?
    /// The average of all Fridays.
    public var friday: Double?
    /// The average of all Saturdays.
    public var saturday: Double?
    /// The average of all Sundays.
    public var sunday: Double?

    /// Creates an average for use in tests.
    public init(attribute: String, day: ExistDay, overall: Double?, weekdays: [ExistDay.Weekday: Double] = [:]) {
        self.attribute = attribute
        self.day = day
        self.overall = overall
        monday = weekdays[.monday]
        tuesday = weekdays[.tuesday]
        wednesday = weekdays[.wednesday]
        thursday = weekdays[.thursday]
        friday = weekdays[.friday]
        saturday = weekdays[.saturday]
        sunday = weekdays[.sunday]
    }

    /// Accesses the average of a day of the week.
    public subscript(weekday: ExistDay.Weekday) -> Double? {
        switch weekday {
        case .monday: monday
        case .tuesday: tuesday
        case .wednesday: wednesday
        case .thursday: thursday
        case .friday: friday
        case .saturday: saturday
        case .sunday: sunday
        }
    }
}

extension Average: Readable, Encodable {
    /// Decodes the attribute's name from either of two keys.
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        let name = fields.present("attribute")
        let userName = fields.value("user_attribute")
        guard let name = name ?? userName else { throw fields.missing("user_attribute") }
        attribute = try name.lenientText()
        day = try ExistDay(reading: fields.required("date"))
        overall = fields.optional("overall") { (value) throws(TapeFailure) in try value.lenientDouble() }
        monday = try? fields.double("monday")
        tuesday = try? fields.double("tuesday")
        wednesday = try? fields.double("wednesday")
        thursday = try? fields.double("thursday")
        friday = try? fields.double("friday")
        saturday = try? fields.double("saturday")
        sunday = try? fields.double("sunday")
    }

    private enum CodingKeys: String, CodingKey {
        case attribute, overall, monday, tuesday, wednesday, thursday, friday, saturday, sunday
        case day = "date"
    }
}
