import ExistKit

@testable import PledgeCommand

extension String {
    /// The day that the text represents, if the text is valid.
    var asDay: ExistDay { ExistDay(self) ?? ExistDay(.distantPast, in: .gmt) }
}

/// Reports of a realistic week, which is busy and has gaps, long names, emoji, CJK text, and a tag that was set only
/// twice.
extension Report {
    static let sample = Report(
        person: "Ada", source: "the built-in sandbox", days: (14...20).map { "2026-11-\($0)".asDay },
        groups: sampleGroups.map { Group(name: $0, label: $0, attributes: $1) },
        correlations: [
            Correlation(
                sentence: "You have a better day when you sleep more.", percentage: 62, stars: 4,
                strength: "Strong: they rise and fall together (+0.62). Exist is sure (4 of 5).",
                attributes: ["mood", "sleep"]),
            Correlation(
                sentence: "You go to bed earlier when you walk more.", percentage: -41, stars: 5,
                strength: "Moderate: when one rises, the other falls (−0.41). Exist is very sure (5 of 5).",
                attributes: ["sleep_start", "steps"]),
        ],
        insights: [
            Insight(day: "2026-11-20".asDay, text: "Today you slept longer than on any Friday since August."),
            Insight(
                day: "2026-11-18".asDay,
                text:
                    "You walked 14,902 steps on Wednesday.\nThat is your best day in four weeks, 96 % more than usual."),
            Insight(day: nil, text: "You have tagged 喝茶 more often this month than last."),
        ],
        warnings: ["The attribute “cycle_min” came with a value that is neither a number nor empty."])

    static let empty = Report(
        person: "Ada", source: "a test", days: [], groups: [], correlations: [], insights: [], warnings: [])

    /// The sample in which each attribute also has a summary of its days, as in a real report.
    static var summarized: Report {
        sample.changing { each in
            guard !each.week.isEmpty else { return }
            each.summary = .init(each.kind, each.week[...], usual: each.usual, before: each.week)
        }
    }

    func changing(_ change: (inout Attribute) -> Void) -> Report {
        var report = self
        for group in groups.indices {
            for index in groups[group].attributes.indices { change(&report.groups[group].attributes[index]) }
        }
        return report
    }

    /// Returns the sample with only these attributes and only its last days.
    static func sample(of attributes: Attribute..., days count: Int = 7) -> Report {
        var report = sample
        report.days = Array(report.days.suffix(count))
        report.groups = [Group(name: "all", label: "All", attributes: attributes)]
        return report
    }

    private static let sampleGroups: KeyValuePairs<String, [Attribute]> = [
        "Activity": [
            Attribute("steps", "🚶 Steps", .quantity, [5210, 7420, 6104, 9233, 14902, nil, 6749], usual: 6031.4),
            Attribute(
                "active_energy", "Active energy", .quantity, unit: "kJ", [1290, 1804, 1512, 2260, 3641, nil, 1655],
                usual: 1480),
        ],
        "Productivity": [
            Attribute("productive_min", "Productive time", .duration, [0, 45, 312, 355, 290, 341, nil], usual: 331),
            Attribute(
                "distracting", "Time on very distracting things (phone and computer, all devices)", .duration,
                [141, 180, 44, 38, 61, 52, 17], usual: 58),
            Attribute("tasks", "Tasks completed", .quantity, [nil, nil, nil, nil, nil, nil, nil]),
        ],
        "Sleep": [
            Attribute("sleep", "Time asleep", .duration, [465, 502, 398, 421, 377, 432, 489], usual: 440),
            Attribute("sleep_start", "Bedtime", .timeOfDay, [1462, 1448, 1375, 1391, 1430, 1382, 1381], usual: 1383),
            Attribute("sleep_end", "Wake time", .timeOfDay, [531, 560, 402, 405, 398, 404, 452], usual: 404),
        ],
        "Mood": [
            Attribute("mood", "Mood", .scale, [6, 7, 4, 5, 8, 6, 7], usual: 5.8),
            Attribute("energy", "Energy level", .scale, [5, 6, nil, 4, 7, 5, nil], usual: 5.2),
            Attribute(
                notes: "mood_note", "Mood note",
                [
                    nil, "Long walk by the river with Åse.", nil, nil, "Good day.\nFinished the draft, then ran.", nil,
                    "Slept well & woke before the alarm. Everyone said it would be \"just a phase\" <grin>.",
                ]),
        ],
        "Health and body": [
            Attribute("weight", "Weight", .decimal, unit: "kg", [72.6, 72.4, nil, 72.3, nil, 72.1, 72.0], usual: 72.4),
            Attribute("body_fat", "Body fat", .percentage, [0.214, nil, nil, 0.212, nil, nil, 0.211], usual: 0.213),
            Attribute(
                "heartrate", "Resting heart rate", .quantity, unit: "bpm", [58, 57, 61, 60, 59, 57, 56], usual: 58.3),
        ],
        "Food and drink": [
            Attribute("coffees", "☕️ Coffees", .quantity, [1, 2, 4, 3, 3, 4, 3], usual: 2.4),
            Attribute("water", "Water", .decimal, unit: "l", [1.2, 1.5, 0.75, 1.1, 2.1, 1.4, 0.9], usual: 1.3),
        ],
        "Weather": [
            Attribute("temp_max", "Warmest", .decimal, unit: "°C", [8.4, 7.1, 3.2, 0.4, -1.6, -0.8, 2.5], usual: 6.1),
            Attribute("cloud", "Cloud cover", .percentage, [0.92, 0.88, 0.41, 0.1, 0.22, 0.35, 0.67], usual: 0.7),
        ],
        "My tags 🏷️": [
            Attribute("tea", "喝茶", .boolean, [1, 1, 0, 1, 1, 0, 1], usual: 0.61),
            Attribute("family", "👨‍👩‍👧‍👦 Time with the family", .boolean, [1, 1, 0, 0, 0, 0, 0], usual: 0.43),
            Attribute("headache", "Headache", .boolean, [0, nil, 0, 1, nil, 0, nil], usual: 0.08),
            Attribute("reading", "読書した時間", .duration, [35, 60, 0, 20, nil, 15, 25], usual: 24),
        ],
    ]
}

extension Report.Attribute {
    /// Creates a numeric attribute whose value today is the week's last entry, as in a real report.
    init(
        _ name: String, _ label: String, _ kind: Report.Kind, unit: String? = nil, _ week: [Double?],
        usual: Double? = nil, soFar: Bool = false, mean: Double? = nil, before: Double? = nil
    ) {
        self.init(
            name: name, label: label, kind: kind, unit: unit, week: week, texts: nil, today: week.last ?? nil,
            soFar: soFar, usual: week.map { _ in usual })
        summary = mean.map { .init(value: $0, before: before) }
    }

    init(notes name: String, _ label: String, _ texts: [String?]) {
        self.init(name: name, label: label, kind: .text, unit: nil, week: [], texts: texts, today: nil)
    }
}
