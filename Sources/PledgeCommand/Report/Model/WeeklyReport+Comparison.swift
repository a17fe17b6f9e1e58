import PledgeCoding

/// An attribute's value and what it is compared with, in words that all renderers share. A comparison is never a
/// judgment: more isn't better. An incomplete day is never compared with whole days.
extension WeeklyReport {
    /// Returns the last day's value, or else the latest one with its weekday; in a long report, the mean; of a tag,
    /// how many days have it. Nil if there is none.
    func shown(_ attribute: Attribute) -> (number: String, unit: String?, day: String?)? {
        let words = ValueText(attribute)
        if attribute.kind == .boolean {
            let known = attribute.week.compactMap(\.self)
            let unit = "of \(known.count) \(known.count == 1 ? "day" : "days")"
            return known.isEmpty ? nil : ("\(known.count { $0 >= 0.5 })", unit, nil)
        }
        if isLong {
            return attribute.summary?.value.map { words.parts($0, isMean: true) }.map { ($0.number, $0.unit, nil) }
        }
        guard let index = attribute.week.lastIndex(where: { $0 != nil }), let latest = attribute.week[index] else {
            return nil
        }
        let (number, unit) = words.parts(latest)
        return (number, unit, index == days.count - 1 ? nil : days[index].weekdayName)
    }

    /// Returns the change alone, such as `+12 %`, `48m later`, `as usual`, `not yet`; nil if there is nothing to compare.
    func change(of attribute: Attribute) -> String? {
        let isEmpty = attribute.week.allSatisfy { $0 == nil }
        if isEmpty || attribute.kind == .boolean { return isEmpty ? "nothing \(spanInWords)" : nil }
        let usual = isLong ? attribute.summary?.before : attribute.usual.last ?? nil
        guard let value = isLong ? attribute.summary?.value : attribute.today else {
            return isLong ? nil : endsToday ? "not yet" : "none on \(lastDay)"
        }
        if attribute.soFar, !isLong { return "so far" }
        return usual.map { ValueText(attribute).change(from: $0, to: value) ?? (isLong ? "as before" : "as usual") }
    }

    /// What values are compared with: what is usual on the last weekday, the mean of the complete days, and that of as
    /// many days before.
    var baselineNames: [String] { ["usual \(days.last?.weekdayName ?? "day")", "mean", "\(spanName) before"] }

    /// Returns the numbers that these words mean, without those that `shown(_:)` has already.
    func baselines(of attribute: Attribute, hasUnit: Bool = false) -> [String?] {
        let words = ValueText(attribute, hasUnit: hasUnit)
        func text(_ value: Double?) -> String? {
            guard let value else { return nil }
            guard attribute.kind == .boolean else { return words.average(value) }
            return "\(NumberText.grouped(value)) \(value == 1 ? "day" : "days")"
        }
        return [
            isLong ? nil : (attribute.usual.last ?? nil).map(words.average),
            isLong || days.count == 1 || attribute.kind == .boolean ? nil : text(attribute.summary?.value),
            text(attribute.summary?.before),
        ]
    }

    /// The same as phrases: `usual Thu 7,128`, `mean 7,696`, `week before 7,406`.
    func comparisons(of attribute: Attribute, hasUnit: Bool = false) -> [String] {
        zip(baselineNames, baselines(of: attribute, hasUnit: hasUnit)).compactMap { name, text in
            text.map { "\(name) \($0)" }
        }
    }
}

extension ValueText {
    /// Returns a difference in words; nil if it is too small to show.
    func change(from usual: Double, to value: Double) -> String? {
        let difference = value - usual
        switch kind {
        case .duration:
            return minutes(difference, "more", "less")
        case .timeOfDay:
            // Whether a service represents 00:20 as 20 or as 1460, it is half an hour later than 23:50.
            return minutes(difference - (difference / 1440).rounded() * 1440, "later", "earlier")
        case .quantity where usual >= Self.smallQuantity:
            return signed(difference / usual * 100, decimals: 0, unit: "%")
        case .percentage:
            return signed(difference * 100, decimals: 1, unit: "points")
        case .decimal:
            return signed(difference, decimals: decimals(for: max(usual.magnitude, value.magnitude)), unit: unit)
        case .scale, .quantity, .boolean, .text:
            return signed(difference, decimals: 1, unit: kind == .scale ? nil : unit)
        }
    }

    private func minutes(_ difference: Double, _ more: String, _ fewer: String) -> String? {
        guard difference.rounded() != 0 else { return nil }
        return "\(Self.duration(difference.magnitude)) \(difference > 0 ? more : fewer)"
    }

    private func signed(_ difference: Double, decimals: Int, unit: String?) -> String? {
        guard NumberText.rounded(difference, decimals: decimals) != 0 else { return nil }
        let number = (difference > 0 ? "+" : "") + NumberText.trimmed(difference, decimals: decimals)
        return unit.map { "\(number) \($0)" } ?? number
    }
}
