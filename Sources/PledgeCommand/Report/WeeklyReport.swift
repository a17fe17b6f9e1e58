/// A person's week, ready to be shown: everything a renderer needs and nothing about where it came from.
///
/// Text, JSON and HTML are three views of this one value; `--json` prints it as it is.
struct WeeklyReport: Codable, Equatable, Sendable {
    /// Who the week belongs to.
    var person: String
    /// Where the data came from, in words for the reader: `the built-in sandbox` or a host name.
    var source: String
    /// The seven days shown, oldest first, as `yyyy-MM-dd`; the last one is today in the person's time zone.
    var days: [String]
    /// What was written and read back before the report, or nil where nothing was.
    var checkIn: CheckIn?
    /// Groups in the service's order.
    var groups: [Group]
    /// The strongest relations first.
    var correlations: [Correlation]
    /// Newest first.
    var insights: [Insight]
    /// Items the service sent that could not be read, one sentence each; empty on a good day.
    var warnings: [String]
    /// What is no number of a day: tasks, answers, accounts.
    var lists: [List] = []

    /// A value written to the service and read back from it.
    struct CheckIn: Codable, Equatable, Sendable {
        var attribute: String
        var label: String
        var day: String
        var written: Int
        var readBack: Int?
    }

    /// Attributes that belong together, such as Sleep.
    struct Group: Codable, Equatable, Sendable {
        var name: String
        var label: String
        var attributes: [Attribute]
    }

    /// One attribute's week.
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
        /// Today's number, nil while there is none.
        var today: Double?
        /// The person's usual value on this weekday, else their overall average; nil where the service has none.
        var average: Double?
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
        /// The service's words for the strength, such as `Sometimes go together`.
        var strength: String
        var attributes: [String]
    }

    /// Things under a heading, such as tasks that are due.
    struct List: Codable, Equatable, Sendable {
        var title: String
        var entries: [Entry]

        /// One of them.
        struct Entry: Codable, Equatable, Sendable {
            /// A word at the side, such as a day or a state.
            var mark: String
            var text: String
        }
    }

    /// Something the service noticed.
    struct Insight: Codable, Equatable, Sendable {
        /// The day it is about, `yyyy-MM-dd`; nil for weeks and months.
        var day: String?
        /// Plain text; may hold line breaks.
        var text: String
    }
}
