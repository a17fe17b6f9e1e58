import PledgeCoding

/// A comparison of the last day with the usual value for its weekday, or in a long report, of its days with those
/// before. It is never a judgment: more isn't better. An incomplete day is never compared with whole days.
struct Comparison: Equatable {
    /// The change alone, such as `+12 %`, `48m later`, `as usual`, `not yet`; nil if there is nothing to compare.
    var change: String?
    /// The reference, such as `usual 6,031`; nil if the service has no average.
    var reference: String?
    /// Both as a phrase, such as `+12 % vs usual 6,031`; empty if there is neither.
    var phrase: String

    init(_ attribute: WeeklyReport.Attribute, in report: WeeklyReport) {
        let words = ValueText(attribute)
        let value = (report.isLong ? attribute.summary?.value : attribute.today).flatMap { $0.isFinite ? $0 : nil }
        let usual = report.isLong ? attribute.summary?.before : attribute.usual(at: report.days.count - 1)
        func reference(_ name: String) -> String? {
            usual.map { report.isLong ? "before \(attribute.summaryText($0))" : "\(name) \(words.average($0))" }
        }

        if attribute.kind == .boolean {
            self.init(
                change: Self.daysTagged(attribute.week, report), reference: reference("usually"), joinedBy: ", ")
        } else if value != nil, attribute.soFar, !report.isLong {
            self.init(change: "so far", reference: reference("usual whole day"), joinedBy: "; ")
        } else if let value, let usual {
            let change = Self.change(from: usual, to: value, words: words)
            self.init(change: change.text, reference: reference("usual"), joinedBy: change.joint)
        } else if value != nil || attribute.kind == .text {
            self.init(change: nil, reference: reference("usual"), joinedBy: "")
        } else {
            let isSilent = report.isLong || attribute.week.allSatisfy { $0 == nil }
            let missing = report.endsToday ? "not yet" : "none on \(report.lastDay)"
            self.init(
                change: isSilent ? "nothing \(report.spanInWords)" : missing, reference: reference("usual"),
                joinedBy: ", ")
        }
    }

    /// Creates a comparison; without a `joint`, the phrase omits the reference.
    private init(change: String?, reference: String?, joinedBy joint: String?) {
        self.change = change
        self.reference = reference
        phrase = (joint == nil ? [change] : [change, reference]).compactMap(\.self).joined(separator: joint ?? "")
    }

    /// Returns how often a tag was set, such as `3 of 7 days`, which says more than its value today.
    private static func daysTagged(_ week: [Double?], _ report: WeeklyReport) -> String {
        let known = week.compactMap(\.self).filter(\.isFinite)
        guard !known.isEmpty else { return "nothing \(report.spanInWords)" }
        return "\(known.count { $0 >= 0.5 }) of \(known.count) \(known.count == 1 ? "day" : "days")"
    }

    private typealias Change = (text: String, joint: String?)

    private static func change(from usual: Double, to today: Double, words: ValueText) -> Change {
        let difference = today - usual
        switch words.kind {
        case .duration:
            return minutes(difference, more: "more", fewer: "less")
        case .timeOfDay:
            // Whether a service represents 00:20 as 20 or as 1460, it is half an hour later than 23:50.
            let nearest = difference - (difference / 1440).rounded() * 1440
            return minutes(nearest, more: "later", fewer: "earlier")
        case .quantity where usual >= ValueText.smallQuantity:
            return signed(difference / usual * 100, decimals: 0, unit: "%")
        case .percentage:
            return signed(difference * 100, decimals: 1, unit: "points")
        case .decimal:
            return signed(
                difference, decimals: words.decimals(for: max(usual.magnitude, today.magnitude)), unit: words.unit)
        case .quantity, .scale, .boolean, .text:
            return signed(difference, decimals: 1, unit: words.unit)
        }
    }

    private static func minutes(_ difference: Double, more: String, fewer: String) -> Change {
        guard difference.rounded() != 0 else { return unchanged }
        return ("\(ValueText.duration(difference.magnitude)) \(difference > 0 ? more : fewer)", " than ")
    }

    private static func signed(_ difference: Double, decimals: Int, unit: String?) -> Change {
        guard NumberText.rounded(difference, decimals: decimals) != 0 else { return unchanged }
        let number = (difference > 0 ? "+" : "") + NumberText.trimmed(difference, decimals: decimals)
        return (unit.map { "\(number) \($0)" } ?? number, " vs ")
    }

    private static let unchanged: Change = ("as usual", nil)
}
