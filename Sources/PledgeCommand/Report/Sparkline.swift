/// A week in as many characters as it has days: `▁▃█·▅▂▇`.
struct Sparkline {
    /// One character a day.
    let text: String

    /// Scales to the week's own least and greatest value: what counts is the shape of the week, not its height.
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

    /// `share` is not a number where all days are alike: they are drawn at middle height, as neither low nor high.
    private static func block(for share: Double) -> Character {
        guard share.isFinite else { return blocks[3] }
        return blocks[min(max(Int((share * 7).rounded()), 0), 7)]
    }
}
