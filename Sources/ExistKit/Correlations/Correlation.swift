import PledgeCoding

/// Two attributes that go together: a relation, not a cause.
///
/// https://developer.exist.io/reference/correlations/
public struct Correlation: Sendable, Equatable {
    /// The day it was made.
    public var day: ExistDay
    /// How many days of data it rests on.
    public var period: Int?
    /// Days between the two: 0 for the same day, -1 for the day after. Nil where the service does not say.
    public var offset: Int?
    /// The name of one attribute.
    public var attribute: String
    /// The name of the other attribute.
    public var attribute2: String
    /// The strength, -1 to 1.
    public var value: Double
    /// The probability that it is chance.
    public var p: Double?
    /// The strength without its sign, 0 to 100.
    public var percentage: Double?
    /// How sure the service is, 1 to 5.
    public var stars: Int?
    /// A sentence to the user: "you have a better day when …".
    public var secondPerson: String?
    /// The sentence in three parts.
    public var secondPersonElements: [String]
    /// What the attribute is about, such as the name of a calendar.
    public var attributeCategory: String?
    /// The strength in words.
    public var strengthDescription: String?
    /// The certainty in words.
    public var starsDescription: String?
    /// What it means, in more words.
    public var description: String?
    /// How common it is, in words.
    public var occurrence: String?
    /// What the user thinks of it.
    public var rating: CorrelationRating?

    /// Makes a correlation by hand, for tests.
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

/// What a user thinks of a correlation.
public struct CorrelationRating: Sendable, Equatable {
    /// Whether it is a good word.
    public var positive: Bool
    /// The service's number for the word.
    public var ratingType: Int?
    /// The word, such as "Useful".
    public var rating: String

    /// Makes a rating by hand, for tests.
    public init(positive: Bool, rating: String, ratingType: Int? = nil) {
        self.positive = positive
        self.rating = rating
        self.ratingType = ratingType
    }
}

extension Correlation: Readable {
    /// What it relates, how strongly and since when are required.
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        var fields = try source.fields()
        day = try ExistDay(reading: fields.required("date"))
        period = try fields.int("period")
        offset = try fields.int("offset")
        attribute = try fields.required("attribute").repeatedText()
        attribute2 = try fields.required("attribute2").repeatedText()
        value = try fields.required("value").double()
        p = try fields.double("p")
        percentage = try fields.double("percentage")
        stars = try fields.int("stars")
        secondPerson = try fields.text("second_person")
        secondPersonElements = try fields.list("second_person_elements") { (item) throws(Source.Failure) in
            try item.repeatedText()
        }
        attributeCategory = try fields.repeatedText("attribute_category")
        strengthDescription = try fields.repeatedText("strength_description")
        starsDescription = try fields.repeatedText("stars_description")
        description = try fields.text("description")
        occurrence = try fields.repeatedText("occurrence")
        rating = try fields.read(CorrelationRating.self, "rating")
    }
}

extension CorrelationRating: Readable {
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        var fields = try source.fields()
        positive = try fields.required("positive").bool()
        ratingType = try fields.int("rating_type")
        rating = try fields.required("rating").repeatedText()
    }
}
