@testable import PledgeCommand

/// A report in which every text tries to break out of its line, its column, its HTML element, or its HTML attribute.
extension Report {
    static let hostile: Report = {
        let bad =
            "\u{1B}]0;t\u{07}\u{9B}2J<script>alert('x')</script>\" onload=\"y\r\n\u{202E}" + "読書👨‍👩‍👧‍👦した時間" + "\u{2028}&"
        let kinds: [Kind] = [.quantity, .decimal, .duration, .timeOfDay, .percentage, .boolean, .scale]
        let numbers = kinds.map { kind in
            Attribute(bad, bad, kind, unit: bad, [1e300, nil, nil, -7, 0, 3, 1e18], usual: -1e300)
        }
        let notes = Attribute(notes: bad, bad, [bad, nil, bad, nil, nil, bad, nil])
        return Report(
            person: bad, source: bad, days: sample.days,
            groups: [Group(name: bad, label: bad, attributes: numbers + [notes])],
            correlations: [
                Correlation(sentence: bad, percentage: 1e300, stars: .max, strength: bad, attributes: [bad]),
                Correlation(sentence: bad, percentage: .nan, stars: .min, strength: bad, attributes: []),
            ],
            insights: [Insight(day: sample.days[0], text: bad), Insight(day: nil, text: bad)],
            warnings: [bad])
    }()
}
