/// Returns a chart of a week with one character per day, such as `▁▃█·▅▂▇`. It is scaled to the week's minimum and
/// maximum: it shows the week's shape, not its level.
func sparkline(_ values: [Double?], kind: WeeklyReport.Kind) -> String {
    let known = values.compactMap(\.self).filter(\.isFinite)
    let least = known.min() ?? 0
    let span = (known.max() ?? 0) - least
    return values.map { value in
        guard let value, value.isFinite else { return "·" }
        if kind == .boolean { return value >= 0.5 ? "●" : "○" }
        // NaN if all days are equal: neither low nor high, they get middle height.
        let share = (value - least) / span
        return ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"][share.isFinite ? min(max(Int((share * 7).rounded()), 0), 7) : 3]
    }.joined()
}
