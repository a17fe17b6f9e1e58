import ExistKit
import PledgeCoding

/// An attribute that is shown at the top of a report: the mean of its complete days, compared with a baseline.
///
/// The baseline is what is usual for these days. If that is unknown, or if the report is long, the baseline is the mean
/// of the same number of days before the report.
struct Highlight: Equatable {
    let label: String
    let number: String
    let unit: String?
    let change: String
    /// The name of the number that the mean is compared with, such as `usual week`. `usual` is that number as text,
    /// such as `7h 30m`.
    let baseline: String
    let usual: String
    /// The size of the change, in standard errors. It tells how unusual the change is for this person.
    fileprivate let size: Double

    /// The number of standard errors from which a change counts as unusual. By chance alone, about one mean in twenty
    /// differs by that much.
    fileprivate static let unusual = 2.0

    fileprivate init?(_ attribute: Report.Attribute, in report: Report) {
        guard attribute.kind != .boolean, let summary = attribute.summary, let mean = summary.value,
            let usual = report.isLong ? summary.before : summary.usual ?? summary.before
        else { return nil }
        let words = ValueText(attribute)
        let isUsual = !report.isLong && summary.usual != nil
        let difference = words.change(from: usual, to: mean)
        label = attribute.label
        (number, unit) = words.parts(mean, isMean: true)
        change = difference ?? (isUsual ? "as usual" : "as before")
        baseline = isUsual ? report.days.count == 7 ? "usual week" : "usual" : report.beforeName
        self.usual = words.average(usual)
        guard difference != nil, let error = summary.standardError else {
            size = 0
            return
        }
        func distance(from other: Double, error: Double) -> Double {
            let size = (mean - other).magnitude / error
            return size.isNaN ? 0 : size
        }
        // The usual value is a median. For drinks, for example, it may be 0, and every week's mean would then look
        // unusually high. So the mean must also differ from the mean of the days before. Both means are equally
        // uncertain, so the standard error of their difference is that of one mean, multiplied by the square root of
        // two.
        size = min(
            isUsual ? distance(from: usual, error: error) : .infinity,
            summary.before.map { distance(from: $0, error: error * 2.0.squareRoot()) } ?? .infinity)
    }
}

extension Report {
    /// The attributes at the top of the report, at most five.
    ///
    /// The first ones are mood and sleep. Then comes the most unusual attribute of each of the other groups, if it is
    /// unusual enough. Attributes of the weather are left out, because they say nothing about the person.
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
    /// The insights that have a text, sorted by day with the newest first. Insights without a day come last.
    var inOrderOfTime: [ExistKit.Insight] {
        filter { !$0.text.isEmpty }.sorted {
            ($0.targetDay?.description ?? "", $0.created) > ($1.targetDay?.description ?? "", $1.created)
        }
    }
}
