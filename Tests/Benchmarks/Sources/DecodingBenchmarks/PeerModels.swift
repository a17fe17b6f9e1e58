import Foundation

// How older clients decode the same responses, written from a description of their code:
// - They convert keys with the snake-case strategy.
// - They parse days with a formatter that has its own calendar, time zone, and locale.
// - For the day of each insight, they create a new formatter.
// - They decode a value by trying one type after the other.

struct PeerPage<Item: Decodable>: Decodable {
    var count: Int
    var next: String?
    var previous: String?
    var results: [Item]
}

struct PeerGroup: Decodable {
    var name: String
    var label: String
    var priority: Int
}

struct PeerService: Decodable {
    var name: String
    var label: String
}

struct PeerValue: Decodable {
    var date: Date
    var value: String?

    private enum CodingKeys: String, CodingKey {
        case date, value
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        date = try container.decode(Date.self, forKey: .date)
        value = try? container.decode(String.self, forKey: .value)
        if let number = try? container.decode(Float.self, forKey: .value) { value = String(number) }
    }
}

struct PeerAttribute: Decodable {
    var template: String?
    var name: String
    var label: String
    var group: PeerGroup
    var service: PeerService
    var active: Bool
    var priority: Int
    var manual: Bool
    var valueType: Int
    var valueTypeDescription: String
    var values: [PeerValue]
}

struct PeerAverage: Decodable {
    var userAttribute: String
    var date: Date
    var overall: Double
    var monday: Double
    var tuesday: Double
    var wednesday: Double
    var thursday: Double
    var friday: Double
    var saturday: Double
    var sunday: Double
}

struct PeerRating: Decodable {
    var positive: Bool
    var ratingType: Int
    var rating: String
}

struct PeerCorrelation: Decodable {
    var date: Date
    var period: Int
    var offset: Int
    var attribute: String
    var attribute2: String
    var value: Double
    var p: Double
    var percentage: Double
    var stars: Int
    var secondPerson: String
    var secondPersonElements: [String]
    var attributeCategory: String?
    var strengthDescription: String
    var starsDescription: String
    var description: String?
    var occurrence: String?
    var rating: PeerRating?
}

struct PeerInsight: Decodable {
    struct Kind: Decodable {
        var name: String
        var period: Int
        var priority: Int
        var attribute: About
    }

    struct About: Decodable {
        var name: String
        var label: String
        var group: PeerGroup
        var priority: Int
        var valueType: Int
        var valueTypeDescription: String
    }

    var created: Date
    var targetDate: Date?
    var type: Kind
    var html: String
    var text: String

    private enum CodingKeys: String, CodingKey {
        case created, targetDate, type, html, text
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        created = try container.decode(Date.self, forKey: .created)
        if let text = try? container.decode(String.self, forKey: .targetDate) {
            let formatter = DateFormatter()
            formatter.dateFormat = "yyyy-MM-dd"
            targetDate = formatter.date(from: text)
        }
        type = try container.decode(Kind.self, forKey: .type)
        html = try container.decode(String.self, forKey: .html)
        text = try container.decode(String.self, forKey: .text)
    }
}

struct PeerPoints: Decodable {
    struct Source: Decodable {
        var identifier: String
        var properties: [String: String]
    }

    struct Point: Decodable {
        var id: String
        var namespace: String
        var deviceDataContextID: String?
        var insertedDate: Date
        var modifiedDate: Date
        var identifier: String?
        var type: String
        var value: String
        var units: String?
        var properties: [String: String]
        var source: Source?
        var startDate: Date?
        var observationDate: Date?
    }

    var deviceDataPoints: [Point]
    var nextPageID: String?
}

enum PeerDecoders {
    static let day: DateFormatter = {
        let formatter = DateFormatter()
        formatter.dateFormat = "yyyy-MM-dd"
        formatter.calendar = Calendar(identifier: .iso8601)
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.locale = Locale(identifier: "en_US_POSIX")
        return formatter
    }()

    static func days() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .formatted(day)
        return decoder
    }

    static func moments() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }

    static func eitherMoment() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            guard let date = fractional.date(from: text) ?? whole.date(from: text) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "no date")
            }
            return date
        }
        return decoder
    }

    // Unsafe: only one contender runs at a time, so no two threads use these formatters at once.
    nonisolated(unsafe) private static let whole = ISO8601DateFormatter()
    nonisolated(unsafe) private static let fractional: ISO8601DateFormatter = {
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        return formatter
    }()
}
