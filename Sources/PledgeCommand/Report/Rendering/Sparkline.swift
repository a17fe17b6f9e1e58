/// Returns a chart with one character per day, such as `▁▃█·▅▂▇`, scaled to the week's own range: it shows the shape,
/// not the level.
func sparkline(_ values: [Double?], kind: WeeklyReport.Kind) -> String {
    let known = values.compactMap(\.self)
    let least = known.min() ?? .nan
    let span = (known.max() ?? .nan) - least
    return values.map { value in
        guard let value else { return "·" }
        if kind == .boolean { return value >= 0.5 ? "●" : "○" }
        // NaN if all days are equal; they get middle height.
        let share = (value - least) / span
        return ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"][share.isFinite ? min(max(Int((share * 7).rounded()), 0), 7) : 3]
    }.joined()
}
