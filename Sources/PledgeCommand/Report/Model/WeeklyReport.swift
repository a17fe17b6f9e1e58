import ExistKit

/// A person's week, ready to be shown: everything a renderer needs, independent of how the data was obtained.
///
/// Text, JSON, and HTML are three representations of this one value; `--json` prints it unchanged.
struct WeeklyReport: Codable, Equatable, Sendable {
    /// The person the week belongs to.
    var person: String
    /// The source of the data, as shown to the reader: `the built-in sandbox` or a host name.
    var source: String
    /// Whether the data is invented, because there was no account.
    var demo = false
    /// The days shown, oldest first.
    var days: [ExistDay]
    /// Whether the last day is today in the person's time zone.
    var endsToday = true
    /// The groups of attributes, in the service's order.
    var groups: [Group]
    /// The correlations, strongest first.
    var correlations: [Correlation]
    /// The insights by the day they are about, newest first.
    var insights: [Insight]
    /// One sentence for each item from the service that couldn't be read; usually empty.
    var warnings: [String]
    /// The data that isn't a number per day: tasks, answers, accounts.
    var lists: [List] = []

    /// A group of related attributes, such as Sleep.
    struct Group: Codable, Equatable, Sendable {
        var name: String
        var label: String
        var attributes: [Attribute]
    }

    /// An attribute with an entry for each of the days.
    struct Attribute: Codable, Equatable, Sendable {
        var name: String
        var label: String
        var kind: Kind
        /// The unit of the numbers (`km`, `kJ`, `kg`, `°C`); nil if the kind is sufficient.
        var unit: String?
        /// One number per day, aligned with `days`; nil if there is no value. Empty for text attributes.
        var week: [Double?]
        /// One text per day in the same way; nil for all other attributes.
        var texts: [String?]?
        /// The last day's number; nil while there is none.
        var today: Double?
        /// Whether the last day isn't over and its number may grow, so that it isn't comparable with a whole day's.
        var soFar = false
        /// The person's usual value for the weekday of each day, or else their overall one, aligned with `days`; nil if
        /// the service has none.
        var usual: [Double?] = []
        /// The days that are over as one number, and the same number of days before the span; nil for text.
        var summary: Summary?
    }

    /// Days as one number. `before` is nil unless at least half as many of the earlier days have a value.
    struct Summary: Codable, Equatable, Sendable {
        enum Kind: String, Codable, Sendable {
            /// The mean of the days with a value.
            case mean
            /// The number of days on which a tag was set.
            case days
        }

        var kind: Kind
        var value: Double?
        var before: Double?
    }

    /// The kind of an attribute's values, which determines how they are formatted.
    enum Kind: String, Codable, Sendable {
        /// Whole numbers: steps, coffees.
        case quantity
        /// Numbers with decimals: kilometers, kilograms.
        case decimal
        /// Minutes, shown as `7h 12m`.
        case duration
        /// Minutes after midnight, shown as `22:55`. Late bedtimes may exceed 1440, to sort last: 1462 is `00:22`.
        case timeOfDay
        /// A fraction: 0.214 is `21.4 %`.
        case percentage
        /// 0 or 1: a tag.
        case boolean
        /// 1 to 9: mood.
        case scale
        /// Text, stored in `texts`.
        case text
    }

    /// A correlation between two attributes, which doesn't imply a cause.
    struct Correlation: Codable, Equatable, Sendable {
        /// The service's sentence, such as `you have a better day when you sleep more.`
        var sentence: String
        /// The correlation, from -100 to 100.
        var percentage: Double
        /// The service's confidence, from 1 to 5.
        var stars: Int
        /// The direction, strength, and certainty in words: `Strong: when one rises, the other falls (−0.67). …`
        var strength: String
        var attributes: [String]
    }

    /// A list with a heading, such as tasks that are due.
    struct List: Codable, Equatable, Sendable {
        var title: String
        var entries: [Entry]

        struct Entry: Codable, Equatable, Sendable {
            /// A label beside the text, such as a day or a state.
            var mark: String
            var text: String
        }
    }

    /// An observation that the service made.
    struct Insight: Codable, Equatable, Sendable {
        /// The day the insight is about; nil for weeks and months.
        var day: ExistDay?
        /// Plain text, which may contain line breaks.
        var text: String
    }
}
