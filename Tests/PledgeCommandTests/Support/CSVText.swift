/// A parser for tables as defined by RFC 4180, which is independent of the tool's own parser.
enum CSVText {
    /// Returns the rows, or nil if the text is malformed.
    static func rows(_ text: String) -> [[String]]? {
        var rows: [[String]] = []
        var row: [String] = []
        var rest = Array(text.unicodeScalars)[...]
        while !rest.isEmpty {
            var field = String.UnicodeScalarView()
            if rest.first == "\"" {
                rest.removeFirst()
                while true {
                    guard let scalar = rest.popFirst() else { return nil }
                    if scalar == "\"" {
                        guard rest.first == "\"" else { break }
                        rest.removeFirst()
                    }
                    field.append(scalar)
                }
            } else {
                let plain = rest.prefix { $0 != "," && $0 != "\r" && $0 != "\n" }
                guard !plain.contains("\"") else { return nil }
                field.append(contentsOf: plain)
                rest = rest[plain.endIndex...]
            }
            row.append(String(field))
            switch rest.popFirst() {
            case ",": continue
            case "\r":
                guard rest.popFirst() == "\n" else { return nil }
                rows.append(row)
                row = []
            default: return nil
            }
        }
        return row.isEmpty ? rows : nil
    }

    /// Returns the text of a cell without the apostrophes that prevent formulas. The tool puts them at the beginning of
    /// the text, and after separators within the text.
    static func text(ofField field: String) -> String {
        let signs = "=+-@＝＋－＠".unicodeScalars
        var (text, start) = (String.UnicodeScalarView(), true)
        let scalars = Array(field.unicodeScalars)
        for (index, scalar) in scalars.enumerated() {
            let breaks = index == 0 ? "\t\r\n".unicodeScalars : "".unicodeScalars
            let quotes = index == 0 ? "'".unicodeScalars : "'\"".unicodeScalars
            let first = scalars[index...].first {
                "\t\r\n".unicodeScalars.contains($0) || signs.contains($0)
                    || !quotes.contains($0) && ![.control, .format].contains($0.properties.generalCategory)
            }
            let isFormula = first.map { signs.contains($0) || breaks.contains($0) } ?? false
            if !(start && isFormula && scalar == "'") { text.append(scalar) }
            start = ";\t\r\n".unicodeScalars.contains(scalar)
        }
        return String(text)
    }
}
