import Foundation

struct ExistInsight: Sendable {
    /// The span of an insight; the raw value is its priority.
    enum Span: Int, Sendable {
        case now = 1
        case day, week, month
    }

    let kind: String
    let span: Span
    let period: Int
    /// The attributes it mentions, which a token must be able to read. It is listed under a single one.
    let subjects: [ExistAttribute]
    /// The last day of the span.
    let day: CalendarDay
    let lines: [String]

    /// The day it is listed under; nil for weeks and months.
    var targetDay: CalendarDay? { span == .week || span == .month ? nil : day }

    /// The day of its creation: the same one for an insight about the current day, otherwise the next.
    var createdDay: CalendarDay { span == .now ? day : day + 1 }

    /// The second of its creation, between 5:00 and 6:30.
    var createdSecond: Int {
        let salt = kind.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF }
        return 18_000 + Int(DayNoise.uniform(.insight, day.number &* 65_536 &+ salt) * 5_400)
    }

    func created(_ clock: ExistClock) -> Date { clock.instant(createdDay, secondOfDay: createdSecond) }

    func json(clock: ExistClock) -> ServerJSON {
        [
            "created": .string(clock.timestamp(created(clock), digits: 0)),
            "target_date": targetDay.map { .string($0.text) } ?? .null,
            "type": [
                "name": .string(kind), "period": .integer(period), "priority": .integer(span.rawValue),
                "attribute": subjects.count == 1 ? .object(subjects[0].summary) : nil,
            ],
            "html": .string(html), "text": .string(lines.joined(separator: "\r\n")),
        ]
    }

    private var html: String {
        zip(["secondary", "num-label"], lines)
            .map { "<div class=\"\($0)\">\(Self.escaped($1))</div>" }
            .joined(separator: "\r\n")
    }

    private static func escaped(_ text: String) -> String {
        let entities: [Character: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#x27;"]
        return text.map { entities[$0] ?? String($0) }.joined()
    }
}
