import Foundation
import PledgeCoding

/// A listing as a table. Its columns are as wide as their content. If the terminal is narrower, the columns shrink and
/// their text wraps.
struct TextTable {
    let listing: Listing
    var width: Int
    var color = false
    let zone: TimeZone
    /// Whether to print each row as several lines, one for each cell, instead of as a table. Rows are also printed like
    /// this if the columns don't fit.
    var isLinear = false

    /// Every column may shrink to this width, even if it has longer words. Those words are then split.
    private static let widest = 24

    func rendered() -> String {
        let isMarked = listing.isDemo && listing.isFirst
        let demo = isMarked ? StyledLine.wrapping(Listing.demoNote, to: width, as: .warning) : []
        let body = listing.rows.isEmpty ? StyledLine.wrapping(listing.emptyMessage, to: width) : table
        return (demo + body).map { $0.rendered(color: color) + "\n" }.joined()
    }

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
        let texts = shown.indices.map { column in [shown[column].heading] + cells.map { $0[column] } }
        var widths = texts.map { $0.map(\.columns).max() ?? 0 }
        // The minimum width of a column is the width of its longest word, but at most `widest`.
        let floors = texts.map { texts in
            min(Self.widest, texts.flatMap { $0.split(separator: " ") }.map { String($0).columns }.max() ?? 0)
        }
        let room = width - TextCell.gap.count * (widths.count - 1)
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
        func line(_ texts: [String], as style: StyledLine.Style) -> [StyledLine] {
            StyledLine.row(
                texts.indices.map { column in
                    TextCell(text: texts[column], width: widths[column], style: style, isRight: isNumber[column])
                })
        }
        return line(shown.map(\.heading), as: .faint) + cells.flatMap { line($0, as: .plain) }
    }

    private func stacked(_ headings: [String], _ cells: [[String]]) -> [StyledLine] {
        cells.enumerated().flatMap { index, row -> [StyledLine] in
            let facts = zip(headings, row).filter { !$0.1.isEmpty }.flatMap { heading, cell in
                StyledLine.wrapping("\(heading): \(cell)", to: width)
            }
            return (index == 0 ? [] : [StyledLine()]) + facts
        }
    }
}

struct TextCell {
    var text: String
    var width: Int
    var style = StyledLine.Style.plain
    var isRight = false
    var wraps = true

    static let gap = "  "
}

extension StyledLine {
    /// Returns several cells side by side. If a cell's text wraps, there are as many lines as the longest cell needs.
    static func row(_ cells: [TextCell], gap: String = TextCell.gap) -> [StyledLine] {
        let wrapped = cells.map { $0.wraps ? $0.text.wrapped(to: $0.width) : [$0.text] }
        return (0..<wrapped.map(\.count).reduce(1, max)).map { index in
            var line = StyledLine()
            for (column, (cell, pieces)) in zip(cells, wrapped).enumerated() {
                let piece = pieces.indices.contains(index) ? pieces[index] : ""
                if column > 0 { line.append(gap) }
                let padded = column == cells.count - 1 ? piece : piece.padded(to: cell.width)
                line.append(cell.isRight ? piece.rightAligned(to: cell.width) : padded, as: cell.style)
            }
            return line
        }
    }
}
