import ExistKit

/// A person's week, ready to be shown: everything a renderer needs and nothing about where it came from.
///
/// Text, JSON and HTML are three views of this one value; `--json` prints it as it is.
struct WeeklyReport: Codable, Equatable, Sendable {
    /// Who the week belongs to.
    var person: String
    /// Where the data came from, in words for the reader: `the built-in sandbox` or a host name.
    var source: String
    /// Whether all this is invented, because there was no account.
    var demo = false
    /// The days shown, oldest first.
    var days: [ExistDay]
    /// Whether the last of them is today, in the person's time zone.
    var endsToday = true
    /// What was written and read back before the report, or nil where nothing was.
    var checkIn: CheckIn?
    /// Groups in the service's order.
    var groups: [Group]
    /// The strongest relations first.
    var correlations: [Correlation]
    /// Newest first, by the day they are about.
    var insights: [Insight]
    /// Items the service sent that could not be read, one sentence each; empty on a good day.
    var warnings: [String]
    /// What is no number of a day: tasks, answers, accounts.
    var lists: [List] = []

    /// A value written to the service and read back from it.
    struct CheckIn: Codable, Equatable, Sendable {
        var attribute: String
        var label: String
        var day: ExistDay
        var written: Int
        var readBack: Int?
    }

    /// Attributes that belong together, such as Sleep.
    struct Group: Codable, Equatable, Sendable {
        var name: String
        var label: String
        var attributes: [Attribute]
    }

    /// One attribute, with an entry for each of the days.
    struct Attribute: Codable, Equatable, Sendable {
        var name: String
        var label: String
        var kind: Kind
        /// The unit the numbers are in (`km`, `kJ`, `kg`, `°C`), nil where the kind says enough.
        var unit: String?
        /// One entry a day, aligned with `days`; nil where there is no value. Empty for text.
        var week: [Double?]
        /// The same for text attributes; nil for all others.
        var texts: [String?]?
        /// The last day's number, nil while there is none.
        var today: Double?
        /// Whether that day is not over and its number may grow, so that it is no match for a whole day's.
        var soFar = false
        /// The person's usual value on each day's weekday, else their overall one; aligned with `days`, nil where the
        /// service has none.
        var usual: [Double?] = []
        /// The days that are over, as one number, and as many days before them; nil for text.
        var summary: Summary?
    }

    /// Days as one number; `before` only where at least half as many of the days before are known.
    struct Summary: Codable, Equatable, Sendable {
        enum Kind: String, Codable, Sendable {
            /// The mean of the days with a value.
            case mean
            /// How many days a tag was set.
            case days
        }

        var kind: Kind
        var value: Double?
        var before: Double?
    }

    /// How a number is to be read and written.
    enum Kind: String, Codable, Sendable {
        /// Whole numbers: steps, coffees.
        case quantity
        /// Numbers with decimals: kilometres, kilograms.
        case decimal
        /// Minutes, shown as `7h 12m`.
        case duration
        /// Minutes after midnight, shown as `22:55`. Bedtimes may exceed 1440, so that late nights sort last: 1462 is `00:22`.
        case timeOfDay
        /// A fraction: 0.214 is `21.4 %`.
        case percentage
        /// 0 or 1: a tag.
        case boolean
        /// 1 to 9: mood.
        case scale
        /// Words, in `texts`.
        case text
    }

    /// A relation between two attributes, which is not a cause.
    struct Correlation: Codable, Equatable, Sendable {
        /// The service's sentence, such as `you have a better day when you sleep more.`
        var sentence: String
        /// -100 to 100.
        var percentage: Double
        /// Confidence, 1 to 5.
        var stars: Int
        /// Direction, strength and certainty in words: `Strong: when one rises, the other falls (−0.67). …`
        var strength: String
        var attributes: [String]
    }

    /// Things under a heading, such as tasks that are due.
    struct List: Codable, Equatable, Sendable {
        var title: String
        var entries: [Entry]

        struct Entry: Codable, Equatable, Sendable {
            /// A word at the side, such as a day or a state.
            var mark: String
            var text: String
        }
    }

    /// Something the service noticed.
    struct Insight: Codable, Equatable, Sendable {
        /// The day it is about; nil for weeks and months.
        var day: ExistDay?
        /// Plain text; may hold line breaks.
        var text: String
    }
}
