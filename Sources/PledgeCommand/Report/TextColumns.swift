import ExistKit

/// Where the columns of a text report stand: label, week, today's value, comparison.
///
/// They are measured over all groups at once, so that the eye can run down the whole page.
struct TextColumns {
    private let days: [String]
    private let label: Int
    private let value: Int
    private let comparison: Int

    private static let indent = "  "
    private static let gap = "  "
    private static let shortestLabel = 10
    private static let longestLabel = 36
    private static let widestValue = 14

    /// Gives the comparison the room it needs and the labels the rest, but never less than a readable stump.
    init(_ report: WeeklyReport, width: Int) {
        days = report.days
        let attributes = report.groups.flatMap(\.attributes)
        let numeric = attributes.filter { $0.kind != .text }
        let neededByLabels = attributes.map(\.label.onOneLine.columns).max() ?? 0
        let neededByPhrases = numeric.map { Comparison($0).phrase.columns }.max() ?? 0
        value = min(numeric.map { Self.today($0).columns }.max() ?? 0, Self.widestValue)

        let fixed = Self.indent.count + Self.gap.count * 3 + days.count + value
        label = min(neededByLabels, Self.longestLabel, max(width - fixed - neededByPhrases, Self.shortestLabel))
        comparison = width - fixed - label
    }

    /// The group's name, with the weekdays' initials above the week's column.
    func heading(for group: WeeklyReport.Group) -> StyledLine {
        let name = group.label.onOneLine
        let start = Self.indent.count + label
        guard name.columns <= start, group.attributes.contains(where: { $0.kind != .text }) else {
            return StyledLine(name, as: .heading)
        }
        var line = StyledLine(name, as: .heading)
        line.append(String(repeating: " ", count: start - name.columns) + Self.gap)
        line.append(days.map { ExistDay($0)?.weekdayInitial ?? "?" }.joined(), as: .faint)
        return line
    }

    /// One attribute on one line.
    func row(for attribute: WeeklyReport.Attribute) -> StyledLine {
        var line = StyledLine(Self.indent + attribute.label.onOneLine.truncated(to: label).padded(to: label))
        line.append(Self.gap)
        if attribute.kind == .text {
            append(notesOf: attribute, to: &line)
        } else {
            line.append(Sparkline(attribute.values(on: days), kind: attribute.kind).text, as: .chart)
            line.append(Self.gap + Self.today(attribute).truncated(to: value).rightAligned(to: value) + Self.gap)
            line.append(comparisonText(for: attribute), as: .faint)
        }
        return line
    }

    /// The whole phrase where it fits, else the part that stands alone.
    private func comparisonText(for attribute: WeeklyReport.Attribute) -> String {
        let words = Comparison(attribute)
        return words.phrase.columns <= comparison ? words.phrase : words.change ?? words.phrase
    }

    private func append(notesOf attribute: WeeklyReport.Attribute, to line: inout StyledLine) {
        guard let latest = attribute.notes(on: days).first else {
            line.append("nothing this week", as: .faint)
            return
        }
        let room = days.count + value + max(comparison, 0) + Self.gap.count * 2
        let day = latest.day == days.last ? "" : (ExistDay(latest.day)?.weekdayName ?? latest.day.onOneLine) + " "
        line.append(day, as: .faint)
        line.append("“" + latest.text.onOneLine.truncated(to: room - day.columns - 2) + "”")
    }

    private static func today(_ attribute: WeeklyReport.Attribute) -> String {
        attribute.today.map(ValueText(attribute).value) ?? "–"
    }
}
