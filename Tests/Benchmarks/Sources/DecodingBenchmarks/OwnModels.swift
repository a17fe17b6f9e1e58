// Models as a caller may write them, with `Decodable` and nothing else.

struct OwnPage<Item: Decodable & Sendable>: Decodable, Sendable {
    var count: Int
    var next: String?
    var results: [Item]
}

struct OwnAttribute: Decodable, Sendable {
    struct Group: Decodable, Sendable {
        var name: String
        var label: String
        var priority: Int
    }

    struct Value: Decodable, Sendable {
        var date: String
        var value: OwnTrial?
    }

    var name: String
    var label: String
    var group: Group
    var active: Bool
    var value_type: Int
    var values: [Value]
}

struct OwnCorrelation: Decodable, Sendable {
    struct Rating: Decodable, Sendable {
        var positive: Bool
        var rating: String
    }

    var date: String
    var period: Int
    var offset: Int
    var attribute: String
    var attribute2: String
    var value: Double
    var p: Double
    var percentage: Double
    var stars: Int
    var second_person: String
    var second_person_elements: [String]
    var description: String?
    var rating: Rating?
}

/// A value that finds its type by trying one type after the other.
enum OwnTrial: Decodable, Sendable {
    case text(String), whole(Int), decimal(Double), list([OwnTrial])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let number = try? container.decode(Int.self) {
            self = .whole(number)
        } else if let number = try? container.decode(Double.self) {
            self = .decimal(number)
        } else {
            self = .list(try container.decode([OwnTrial].self))
        }
    }
}
