struct Correlation: Decodable, Sendable, Equatable {
    var day: ExistDay
    var period: Int?
    var offset: Int?
    var attribute: String
    var attribute2: String
    var value: Double
    var p: Double?
    var percentage: Double?
    var stars: Int?
    var secondPerson: String?
    var secondPersonElements: [String]
    var attributeCategory: String?
    var strengthDescription: String?
    var starsDescription: String?
    var description: String?
    var occurrence: String?
    var rating: CorrelationRating?
    init(
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

    private enum CodingKeys: String, CodingKey {
        case period, offset, attribute, attribute2, value, p, percentage, stars, description, occurrence, rating
        case day = "date"
        case secondPerson = "second_person"
        case secondPersonElements = "second_person_elements"
        case attributeCategory = "attribute_category"
        case strengthDescription = "strength_description"
        case starsDescription = "stars_description"
    }
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        day = try ExistDay(container, .day)
        attribute = try container.decode(String.self, forKey: .attribute)
        attribute2 = try container.decode(String.self, forKey: .attribute2)
        value = try container.decode(Double.self, forKey: .value)
        period = try container.decodeIfPresent(Int.self, forKey: .period)
        offset = try container.decodeIfPresent(Int.self, forKey: .offset)
        p = try container.decodeIfPresent(Double.self, forKey: .p)
        percentage = try container.decodeIfPresent(Double.self, forKey: .percentage)
        stars = try container.decodeIfPresent(Int.self, forKey: .stars)
        secondPerson = try container.decodeIfPresent(String.self, forKey: .secondPerson)
        secondPersonElements = try container.decodeIfPresent([String].self, forKey: .secondPersonElements) ?? []
        attributeCategory = try container.decodeIfPresent(String.self, forKey: .attributeCategory)
        strengthDescription = try container.decodeIfPresent(String.self, forKey: .strengthDescription)
        starsDescription = try container.decodeIfPresent(String.self, forKey: .starsDescription)
        description = try container.decodeIfPresent(String.self, forKey: .description)
        occurrence = try container.decodeIfPresent(String.self, forKey: .occurrence)
        rating = try container.decodeIfPresent(CorrelationRating.self, forKey: .rating)
    }
}
struct CorrelationRating: Decodable, Sendable, Equatable {
    var positive: Bool
    var ratingType: Int?
    var rating: String
    init(positive: Bool, rating: String, ratingType: Int? = nil) {
        self.positive = positive
        self.rating = rating
        self.ratingType = ratingType
    }

    private enum CodingKeys: String, CodingKey {
        case positive, rating
        case ratingType = "rating_type"
    }
}
