/// A parser for tables as defined by RFC 4180, independent of the tool's own.
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

    /// Returns the text of a cell, without the apostrophe that keeps it from being a formula.
    static func text(ofField field: String) -> String {
        guard field.hasPrefix("'") else { return field }
        let signs = "=+-@\t\r\n＝＋－＠".unicodeScalars
        let first = field.unicodeScalars.first {
            $0 != "'" && ![.control, .format].contains($0.properties.generalCategory) || signs.contains($0)
        }
        return first.map(signs.contains) == true ? String(field.unicodeScalars.dropFirst()) : field
    }
}
