import ExistKit
import PledgeCoding

/// An attribute at the top of a report: the mean of its complete days, compared with what is usual for these days or, if
/// that is unknown or they are many, with as many days before.
struct Highlight: Equatable {
    let label: String
    let number: String
    let unit: String?
    let change: String
    /// Such as `usual week 7h 30m`.
    let baseline: String
    /// The size of the change in relation to how much the days differ among themselves.
    fileprivate let size: Double

    fileprivate init?(_ attribute: WeeklyReport.Attribute, in report: WeeklyReport) {
        guard attribute.kind != .boolean, let summary = attribute.summary, let mean = summary.value,
            let usual = report.isLong ? summary.before : summary.usual ?? summary.before
        else { return nil }
        let words = ValueText(attribute)
        let days = attribute.week.dropLast(attribute.soFar ? 1 : 0).compactMap(\.self)
        let isUsual = !report.isLong && summary.usual != nil
        label = attribute.label
        (number, unit) = words.parts(mean, isMean: true)
        change = words.change(from: usual, to: mean) ?? (isUsual ? "as usual" : "as before")
        let usualName = report.days.count == 7 ? "usual week" : "usual"
        baseline = "\(isUsual ? usualName : report.baselineNames[2]) \(words.average(usual))"
        let spread = days.reduce(0) { $0 + ($1 - mean).magnitude } / Double(max(days.count, 1))
        // Even if all days are equal, five percent is not much. NaN if all is zero.
        let size = (mean - usual).magnitude / (spread + usual.magnitude * 0.05)
        self.size = size.isNaN ? 0 : size
    }
}

extension WeeklyReport {
    /// Mood and sleep, and what differs most from usual, of each other group one: five at most. The weather is not the
    /// person's own.
    var highlights: [Highlight] {
        let leading = ["mood", "sleep", "SleepMinutes"].compactMap { name in
            attributes.first { ExactText($0.name) == ExactText(name) }.flatMap { Highlight($0, in: self) }
        }
        let others = groups.filter { !["mood", "sleep", "weather"].map(ExactText.init).contains(ExactText($0.name)) }
            .compactMap { group in
                group.attributes.compactMap { Highlight($0, in: self) }.filter { !leading.contains($0) }
                    .max { $0.size < $1.size }
            }
        // A tenth of what is usual from day to day is no news.
        let most = others.filter { $0.size > 0.1 }.sorted { $0.size > $1.size }
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
