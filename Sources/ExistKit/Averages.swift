import PledgeCoding
import PledgeHTTP

/// https://developer.exist.io/reference/averages/
extension ExistAPI {
    /// Fetches the user's averages, which are the usual values of attributes on each day of the week. Wraps
    /// `GET averages/`.
    ///
    /// - Parameters:
    ///   - attribute: The name of an attribute; nil for all attributes that the token may read. To select several
    ///     attributes, use ``ExistQuery/averages(groups:names:includeHistorical:from:through:limit:page:)``.
    ///   - includeHistorical: Whether to include the averages of earlier weeks, newest first. By default, only the
    ///     latest averages are included.
    ///   - limit: The maximum number of averages per page. If `limit` and `page` are nil, all pages are fetched.
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
    /// Returns a query for the user's averages, which are the usual values of attributes on each day of the week. It
    /// requests `GET averages/`.
    ///
    /// - Parameters:
    ///   - groups: The groups whose attributes to include; nil for all groups that the token may read.
    ///   - names: The names of the attributes to include; nil for all.
    ///   - includeHistorical: Whether to include the averages of earlier weeks, newest first. By default, only the
    ///     latest averages are included.
    ///   - first: The first day to include.
    ///   - last: The last day to include.
    ///   - limit: The maximum number of averages per page, at most 100.
    ///   - page: The number of the page, starting at 1.
    public static func averages(
        groups: [String]? = nil, names: [String]? = nil, includeHistorical: Bool = false,
        from first: ExistDay? = nil, through last: ExistDay? = nil, limit: Int? = nil, page: Int = 1
    ) -> ExistQuery<Average> {
        ExistQuery<Average>(
            "averages/",
            [
                "groups": groups, "attributes": names, "include_historical": includeHistorical ? 1 : nil,
                "date_min": first, "date_max": last,
            ], limit: limit, page: page, identity: { HashKey($0.attribute, and: $0.day) })
    }
}

/// The usual values of one attribute: one value for each day of the week, and one for all days together.
///
/// Exist calls these values averages. They are medians of the last 60 days, and Exist computes them once a week
/// (<https://developer.exist.io/reference/averages/>).
public struct Average: Sendable, Equatable {
    /// The name of the attribute that the averages are about.
    public var attribute: String
    /// The day on which Exist computed the averages.
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

    /// Accesses the average of the given day of the week; nil if there is none.
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
    /// Decodes the averages. The attribute's name is in the field `attribute` or, in other responses, `user_attribute`.
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        let name = fields.present("attribute")
        let userName = fields.value("user_attribute")
        guard let name = name ?? userName else { throw fields.missing("user_attribute") }
        attribute = try name.lenientText()
        day = try ExistDay(reading: fields.required("date"))
        overall = fields.double("overall")
        monday = fields.double("monday")
        tuesday = fields.double("tuesday")
        wednesday = fields.double("wednesday")
        thursday = fields.double("thursday")
        friday = fields.double("friday")
        saturday = fields.double("saturday")
        sunday = fields.double("sunday")
    }

    private enum CodingKeys: String, CodingKey {
        case attribute, overall, monday, tuesday, wednesday, thursday, friday, saturday, sunday
        case day = "date"
    }
}
