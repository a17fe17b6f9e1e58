import PledgeCoding
import PledgeHTTP

/// https://developer.exist.io/reference/correlations/
extension ExistAPI {
    /// Fetches the correlations that Exist found in the last week. Wraps `GET correlations/`.
    ///
    /// - Parameters:
    ///   - attribute: The name of an attribute, to get only its correlations with other attributes; nil for all
    ///     correlations.
    ///   - strong: Whether to include only strong correlations.
    ///   - confident: Whether to include only correlations with five stars, which are the most certain.
    ///   - limit: The maximum number of correlations per page, at most 100. If `limit` and `page` are nil, all pages
    ///     are fetched.
    ///   - page: The number of the page, starting at 1.
    public func correlations(
        for attribute: String? = nil, strong: Bool = false, confident: Bool = false, limit: Int? = nil,
        page: Int? = nil
    ) -> Promise<CorrelationsOutput> {
        let query = ExistQuery<Correlation>.correlations(
            for: attribute, strong: strong, confident: confident, limit: limit, page: page ?? 1)
        return pageOrAll(query, limit, page).map(on: nil) {
            (correlations: $0.value.results, response: $0.response.urlResponse)
        }
    }

    /// Fetches the correlation between two attributes. Wraps `GET correlations/combo/`.
    ///
    /// The result is nil if the service has found no such correlation. The order of the two attributes doesn't matter.
    public func correlation(between attribute: String, and attribute2: String) -> Promise<CorrelationOutput> {
        send(.combo(attribute, attribute2)).map(on: nil) {
            (correlation: $0.value, response: $0.response.urlResponse)
        }
    }
}

extension ExistQuery {
    /// Returns a query for the correlations that Exist found in the last week. It requests `GET correlations/`.
    ///
    /// For the parameters, see ``ExistAPI/correlations(for:strong:confident:limit:page:)``.
    public static func correlations(
        for attribute: String? = nil, strong: Bool = false, confident: Bool = false, limit: Int? = nil, page: Int = 1
    ) -> ExistQuery<Correlation> {
        ExistQuery<Correlation>(
            "correlations/",
            ["strong": strong ? 1 : nil, "confident": confident ? 1 : nil, "attribute": attribute], limit: limit,
            page: page,
            identity: { HashKey($0.attribute, $0.attribute2, $0.attributeCategory ?? "", and: $0.offset) })
    }
}

extension Endpoint where Response == Correlation? {
    /// Returns the endpoint of the correlation between two attributes. Its response is nil if the service has found no
    /// such correlation.
    static func combo(_ attribute: String, _ attribute2: String) -> Endpoint {
        var endpoint = Endpoint(
            .get, "correlations/combo/", query: ["attribute": attribute, "attribute2": attribute2]
        ) { response, json in
            response.status == 404 ? nil : try response.json(Correlation.self, by: json)
        }
        // A response with status 404 and JSON means that there is no correlation. A response with status 404 and HTML
        // means that the URL is wrong, so it remains an error.
        endpoint.accepts = {
            200..<300 ~= $0.status || $0.status == 404 && (try? $0.json([String: JSONValue].self)) != nil
        }
        return endpoint
    }
}

/// A correlation between two attributes. A correlation does not imply a cause
/// (<https://developer.exist.io/reference/correlations/>).
public struct Correlation: Sendable, Equatable {
    /// The day on which Exist computed the correlation.
    public var day: ExistDay
    /// The number of days of data that the correlation is based on.
    public var period: Int?
    /// The number of days between the values of the two attributes; nil if it is not specified. It is 0 for values of
    /// the same day, and -1 if each value of ``attribute`` is from the day after the value of ``attribute2``.
    public var offset: Int?
    /// The name of the first attribute.
    public var attribute: String
    /// The name of the second attribute.
    public var attribute2: String
    /// The strength of the correlation, from -1 to 1.
    public var value: Double
    /// The probability that the correlation is due to chance.
    public var p: Double?
    /// The strength of the correlation without its sign, from 0 to 100.
    public var percentage: Double?
    /// The certainty of the correlation, from 1 to 5.
    public var stars: Int?
    /// A sentence that addresses the user: "you have a better day when …".
    public var secondPerson: String?
    /// The sentence in ``secondPerson``, divided into three parts.
    public var secondPersonElements: [String]
    /// A category within the attribute, such as the name of a calendar.
    public var attributeCategory: String?
    /// A description of the correlation's strength, for display.
    public var strengthDescription: String?
    /// A description of the correlation's certainty, for display.
    public var starsDescription: String?
    /// A longer explanation of the correlation.
    public var description: String?
    /// A description of how common the correlation is.
    public var occurrence: String?
    /// The user's rating of the correlation; nil if the user has not rated it.
    public var rating: CorrelationRating?

    /// Creates a correlation for use in tests.
    public init(
        day: ExistDay, attribute: String, attribute2: String, value: Double, period: Int? = nil, offset: Int? = nil,
        p: Double? = nil, percentage: Double? = nil, stars: Int? = nil, secondPerson: String? = nil,
        secondPersonElements: [String] = [], attributeCategory: String? = nil, strengthDescription: String? = nil,
        starsDescription: String? = nil, description: String? = nil, occurrence: String? = nil,
        rating: CorrelationRating? = nil
    ) {
        self.day = day
        self.attribute = attribute
        self.attribute2 = attribute2
        self.value = value
        self.period = period
        self.offset = offset
        self.p = p
        self.percentage = percentage
        self.stars = stars
        self.secondPerson = secondPerson
        self.secondPersonElements = secondPersonElements
        self.attributeCategory = attributeCategory
        self.strengthDescription = strengthDescription
        self.starsDescription = starsDescription
        self.description = description
        self.occurrence = occurrence
        self.rating = rating
    }
}

/// A user's rating of a correlation.
public struct CorrelationRating: Sendable, Equatable {
    /// Whether the rating is positive.
    public var positive: Bool
    /// The service's number for the rating.
    public var ratingType: Int?
    /// The text of the rating, such as "Useful".
    public var rating: String

    /// Creates a rating for use in tests.
    public init(positive: Bool, rating: String, ratingType: Int? = nil) {
        self.positive = positive
        self.rating = rating
        self.ratingType = ratingType
    }
}

extension Correlation: Readable, Encodable {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        day = try ExistDay(reading: fields.required("date"))
        period = fields.int("period")
        offset = fields.int("offset")
        attribute = try fields.required("attribute").lenientText()
        attribute2 = try fields.required("attribute2").lenientText()
        value = try fields.required("value").lenientDouble()
        p = fields.double("p")
        percentage = fields.double("percentage")
        stars = fields.int("stars")
        secondPerson = fields.text("second_person")
        // An element that can't be decoded becomes an empty text, so that the other elements keep their positions.
        secondPersonElements = fields.lenientList("second_person_elements") { item in
            item.recordingFailure { (item) throws(TapeFailure) in try item.lenientText() } ?? ""
        }
        attributeCategory = fields.text("attribute_category")
        strengthDescription = fields.text("strength_description")
        starsDescription = fields.text("stars_description")
        description = fields.text("description")
        occurrence = fields.text("occurrence")
        rating = fields.read(CorrelationRating.self, "rating")
    }

    private enum CodingKeys: String, CodingKey {
        case day = "date"
        case period, offset, attribute, attribute2, value, p, percentage, stars
        case secondPerson = "second_person"
        case secondPersonElements = "second_person_elements"
        case attributeCategory = "attribute_category"
        case strengthDescription = "strength_description"
        case starsDescription = "stars_description"
        case description, occurrence, rating
    }
}

extension CorrelationRating: Readable, Encodable {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        positive = try fields.required("positive").lenientBool()
        ratingType = fields.int("rating_type")
        rating = try fields.required("rating").lenientText()
    }

    private enum CodingKeys: String, CodingKey {
        case positive
        case ratingType = "rating_type"
        case rating
    }
}
