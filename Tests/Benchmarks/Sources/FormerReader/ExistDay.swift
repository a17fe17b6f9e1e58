import Foundation

struct ExistDay: Hashable, Comparable, Sendable {
    private let number: Int

    private init(number: Int) {
        self.number = number
    }
    init?(year: Int, month: Int, day: Int) {
        guard let number = CivilDate.number(year: year, month: month, day: day) else { return nil }
        self.number = number
    }
    init(_ date: Date, in zone: TimeZone = .current) {
        let seconds = date.timeIntervalSince1970 + Double(zone.secondsFromGMT(for: date))
        number = Int((seconds / 86_400).rounded(.down))
    }
    init?(_ text: String) {
        guard let number = CivilDate.number(text[...].utf8) else { return nil }
        self.number = number
    }
    var year: Int { CivilDate.parts(number).year }
    var month: Int { CivilDate.parts(number).month }
    var day: Int { CivilDate.parts(number).day }
    var weekday: Weekday {
        // 1 January 1970 was a Thursday.
        Weekday.allCases[((number + 3) % 7 + 7) % 7]
    }
    func date(in zone: TimeZone = .current) -> Date {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        // Where clocks skip midnight, the day begins later: noon exists everywhere, and its day has a start.
        let noon = calendar.date(from: DateComponents(year: year, month: month, day: day, hour: 12))
        return calendar.startOfDay(for: noon ?? Date(timeIntervalSince1970: Double(number) * 86_400))
    }
    var date: Date { date() }
    func advanced(by days: Int) -> ExistDay {
        ExistDay(number: number + days)
    }
    func distance(to other: ExistDay) -> Int {
        other.number - number
    }
    static func < (left: ExistDay, right: ExistDay) -> Bool {
        left.number < right.number
    }
    enum Weekday: String, CaseIterable, Codable, Sendable {
        case monday, tuesday, wednesday, thursday, friday, saturday, sunday
    }
}

extension ExistDay: Strideable {}

extension ExistDay: CustomStringConvertible {
    var description: String { CivilDate.text(number) }
}

extension ExistDay {
    init<Key>(_ container: KeyedDecodingContainer<Key>, _ key: Key) throws {
        let text = try container.decode(String.self, forKey: key)
        guard let day = ExistDay(text) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: container, debugDescription: "“\(text)” is not a day")
        }
        self = day
    }
}

extension ExistDay: Codable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let day = ExistDay(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "“\(text)” is not a day")
        }
        self = day
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
