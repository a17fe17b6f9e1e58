/// A chart of a week with one character per day, such as `▁▃█·▅▂▇`.
struct Sparkline {
    /// The chart, one character per day.
    let text: String

    /// Creates a chart scaled to the week's minimum and maximum: it shows the week's shape, not its level.
    init(_ values: [Double?], kind: WeeklyReport.Kind) {
        let known = values.compactMap(\.self).filter(\.isFinite)
        let least = known.min() ?? 0
        let span = (known.max() ?? 0) - least

        text = values.reduce(into: "") { text, value in
            guard let value, value.isFinite else {
                text.append(Self.missing)
                return
            }
            text.append(kind == .boolean ? Self.tag(value) : Self.block(for: (value - least) / span))
        }
    }

    private static let missing: Character = "·"
    private static let blocks: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

    private static func tag(_ value: Double) -> Character {
        value >= 0.5 ? "●" : "○"
    }

    /// Returns the block for a share, which is NaN if all days are equal: neither low nor high, they get middle height.
    private static func block(for share: Double) -> Character {
        guard share.isFinite else { return blocks[3] }
        return blocks[min(max(Int((share * 7).rounded()), 0), 7)]
    }
}
