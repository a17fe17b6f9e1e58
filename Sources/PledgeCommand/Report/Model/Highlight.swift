import ExistKit
import PledgeCoding

/// An attribute at the top of a report: the mean of its complete days, compared with what is usual for these days or, if
/// that is unknown or they are many, with as many days before.
struct Highlight: Equatable {
    let label: String
    let number: String
    let unit: String?
    let change: String
    /// What the number is compared with, such as `usual week`, and its number: `7h 30m`.
    let baseline: String
    let usual: String
    /// The change in standard errors, which says how unusual it is for this person.
    fileprivate let size: Double

    /// By chance alone, about one of twenty means differs by two standard errors.
    fileprivate static let unusual = 2.0

    fileprivate init?(_ attribute: WeeklyReport.Attribute, in report: WeeklyReport) {
        guard attribute.kind != .boolean, let summary = attribute.summary, let mean = summary.value,
            let usual = report.isLong ? summary.before : summary.usual ?? summary.before
        else { return nil }
        let words = ValueText(attribute)
        let isUsual = !report.isLong && summary.usual != nil
        let difference = words.change(from: usual, to: mean)
        label = attribute.label
        (number, unit) = words.parts(mean, isMean: true)
        change = difference ?? (isUsual ? "as usual" : "as before")
        baseline = isUsual ? report.days.count == 7 ? "usual week" : "usual" : report.baselineNames[2]
        self.usual = words.average(usual)
        guard difference != nil, let error = summary.standardError else {
            size = 0
            return
        }
        func distance(from other: Double, error: Double) -> Double {
            let size = (mean - other).magnitude / error
            return size.isNaN ? 0 : size
        }
        // What is usual is a median: for drinks it may be 0, and then every week's mean is more. So the days before must
        // differ, too. Their mean is as uncertain as that of these days.
        size = min(
            isUsual ? distance(from: usual, error: error) : .infinity,
            summary.before.map { distance(from: $0, error: error * 2.0.squareRoot()) } ?? .infinity)
    }
}

extension WeeklyReport {
    /// Mood and sleep, and what is most unusual, of each other group one: five at most. The weather is not the person's
    /// own.
    var highlights: [Highlight] {
        let leading = ["mood", "sleep", "SleepMinutes"].compactMap { name in
            attributes.first { ExactText($0.name) == ExactText(name) }.flatMap { Highlight($0, in: self) }
        }
        let others = groups.filter { !["mood", "sleep", "weather"].map(ExactText.init).contains(ExactText($0.name)) }
            .compactMap { group in
                group.attributes.compactMap { Highlight($0, in: self) }.filter { !leading.contains($0) }
                    .max { $0.size < $1.size }
            }
        let most = others.filter { $0.size > Highlight.unusual }.sorted { $0.size > $1.size }
        return leading + most.prefix(5 - leading.count)
    }
}

extension [ExistKit.Insight] {
    /// The nonempty insights by day, newest first; those without a day come last.
    var inOrderOfTime: [ExistKit.Insight] {
        filter { !$0.text.isEmpty }.sorted {
            ($0.targetDay?.description ?? "", $0.created) > ($1.targetDay?.description ?? "", $1.created)
        }
    }
}
