import Foundation

/// A listing as a table for people: columns are as wide as their content, and wrap if the terminal is narrower.
struct TextTable {
    private let listing: Listing
    private let width: Int
    private let color: Bool
    private let zone: TimeZone
    private let isLinear: Bool
    private let isFirst: Bool

    private static let gap = 2
    /// The width to which any column may shrink, even if its words are longer.
    private static let widest = 24

    /// - Parameters:
    ///   - isLinear: Whether each fact takes a few lines, as it does if the columns do not fit.
    ///   - isFirst: Whether it is the first piece of a long table.
    init(
        _ listing: Listing, width: Int, color: Bool, zone: TimeZone, isLinear: Bool = false, isFirst: Bool = true
    ) {
        self.listing = listing
        self.width = max(width, 20)
        (self.color, self.zone) = (color, zone)
        (self.isLinear, self.isFirst) = (isLinear, isFirst)
    }

    /// Returns the table with a trailing line break.
    func rendered() -> String {
        let isMarked = listing.isDemo && isFirst
        let demo = isMarked ? Listing.demoNote.wrapped(to: width).map { StyledLine($0, as: .warning) } : []
        let body = listing.rows.isEmpty ? listing.emptyMessage.wrapped(to: width).map { StyledLine($0) } : table
        return (demo + body).map { $0.rendered(width: width, color: color) + "\n" }.joined()
    }

    /// The columns that have a heading and at least one nonempty cell.
    private var shown: [(heading: String, index: Int)] {
        listing.columns.indices.compactMap { index in
            guard let heading = listing.columns[index].heading,
                listing.rows.contains(where: { !$0[index].shown().isEmpty })
            else { return nil }
            return (heading, index)
        }
    }

    private var table: [StyledLine] {
        let shown = shown
        let cells = listing.rows.map { row in shown.map { row[$0.index].shown(in: zone) } }
        if isLinear { return stacked(shown.map(\.heading), cells) }
        var widths = shown.indices.map { column in
            ([shown[column].heading] + cells.map { $0[column] }).map(\.columns).max() ?? 0
        }
        // A column may become as narrow as its longest word.
        let floors = shown.indices.map { column in
            let words = ([shown[column].heading] + cells.map { $0[column] }).flatMap { $0.split(separator: " ") }
            return min(Self.widest, words.map { String($0).columns }.max() ?? 0)
        }
        let room = width - Self.gap * (widths.count - 1)
        while widths.reduce(0, +) > room {
            let wide = widths.indices.filter { widths[$0] > floors[$0] }
            guard let widest = wide.max(by: { widths[$0] < widths[$1] }) else {
                return stacked(shown.map(\.heading), cells)
            }
            widths[widest] -= 1
        }
        let isNumber = shown.map { column in
            listing.rows.allSatisfy {
                if case .number = $0[column.index] { return true }
                return $0[column.index] == .nothing
            }
        }
        return lines(shown.map(\.heading), widths, isNumber, as: .faint)
            + cells.flatMap { lines($0, widths, isNumber, as: .plain) }
    }

    private func lines(
        _ cells: [String], _ widths: [Int], _ isNumber: [Bool], as style: StyledLine.Style
    ) -> [StyledLine] {
        let wrapped = zip(cells, widths).map { $0.wrapped(to: $1) }
        return (0..<max(wrapped.map(\.count).max() ?? 1, 1)).map { index in
            var line = StyledLine()
            for (column, pieces) in wrapped.enumerated() {
                let piece = pieces.indices.contains(index) ? pieces[index] : ""
                let isLast = column == wrapped.count - 1
                let fitted =
                    isNumber[column]
                    ? piece.rightAligned(to: widths[column]) : isLast ? piece : piece.padded(to: widths[column])
                line.append((column == 0 ? "" : String(repeating: " ", count: Self.gap)) + fitted, as: style)
            }
            return line
        }
    }

    /// Returns each fact as a few lines, for columns that don't fit side by side.
    private func stacked(_ headings: [String], _ cells: [[String]]) -> [StyledLine] {
        cells.enumerated().flatMap { index, row -> [StyledLine] in
            let facts = zip(headings, row).filter { !$0.1.isEmpty }.flatMap { heading, cell in
                "\(heading): \(cell)".wrapped(to: width).map { StyledLine($0) }
            }
            return (index == 0 ? [] : [StyledLine()]) + facts
        }
    }
}
