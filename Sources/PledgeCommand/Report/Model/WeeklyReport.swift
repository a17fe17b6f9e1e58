import ExistKit

/// A person's report, independent of where its data comes from; text, JSON, and HTML represent this one value.
struct WeeklyReport: Codable, Equatable, Sendable {
    /// The name of the person.
    var person: String
    /// The source as shown to the reader: `the built-in sandbox` or a host name.
    var source: String
    /// Whether the data is invented.
    var demo = false
    /// The days, oldest first.
    var days: [ExistDay]
    /// Whether the last day is the current one in the person's time zone.
    var endsToday = true
    var groups: [Group]
    var correlations: [Correlation]
    /// The insights by day, newest first.
    var insights: [Insight]
    /// A sentence for each undecodable item.
    var warnings: [String]
    /// The data other than a number per day: tasks, answers, accounts.
    var lists: [List] = []

    struct Group: Codable, Equatable, Sendable {
        var name: String
        var label: String
        var attributes: [Attribute]
    }

    struct Attribute: Codable, Equatable, Sendable {
        var name: String
        var label: String
        var kind: Kind
        /// The unit (`km`, `kJ`, `kg`, `°C`); nil if the kind suffices.
        var unit: String?
        /// The number for each of `days`; nil if there is none. Empty for text.
        var week: [Double?]
        /// The text for each of `days`; nil unless the attribute is text.
        var texts: [String?]?
        /// The last day's number, if any.
        var today: Double?
        /// Whether the last day is incomplete, so that its number isn't comparable with a whole day's.
        var soFar = false
        /// The average for each day's weekday, or else for all, aligned with `days`; nil if the service has none.
        var usual: [Double?] = []
        /// The complete days as one number, and as many days before the span; nil for text.
        var summary: Summary?
    }

    /// Days as one number, what is usual for them, and the days before as one number, which is nil unless at least half
    /// as many have a value.
    struct Summary: Codable, Equatable, Sendable {
        /// The mean of the days with a value, or of a tag the number of days on which it was set.
        var value: Double?
        var usual: Double?
        var before: Double?
    }

    /// The kind of an attribute's values, which determines their format.
    enum Kind: String, Codable, Sendable {
        case quantity
        case decimal
        /// Minutes, shown as `7h 12m`.
        case duration
        /// Minutes after midnight, shown as `22:55`. Late bedtimes exceed 1440, to sort last: 1462 is `00:22`.
        case timeOfDay
        /// A fraction: 0.214 is `21.4 %`.
        case percentage
        case boolean
        /// 1 to 9: mood.
        case scale
        case text
    }

    /// A correlation of two attributes, which doesn't imply a cause.
    struct Correlation: Codable, Equatable, Sendable {
        /// The service's sentence, such as `you have a better day when you sleep more.`
        var sentence: String
        /// The correlation, from -100 to 100.
        var percentage: Double
        var stars: Int
        /// The direction, strength, and certainty: `Strong: when one rises, the other falls (−0.67). …`
        var strength: String
        var attributes: [String]
    }

    struct List: Codable, Equatable, Sendable {
        var title: String
        var entries: [Entry]

        struct Entry: Codable, Equatable, Sendable {
            /// A label beside the text, such as a day or a state.
            var mark = ""
            var text: String
        }
    }

    struct Insight: Codable, Equatable, Sendable {
        /// The day the insight is about; nil for weeks and months.
        var day: ExistDay?
        /// Plain text, possibly with line breaks.
        var text: String
    }
}
