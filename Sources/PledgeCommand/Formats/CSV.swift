import Foundation

/// Fields and rows of tables in CSV.
///
/// A spreadsheet evaluates text that begins like a formula, which lets the text's author read other cells and send them
/// away. Such text gets an apostrophe in front. Text that already has one gets another, so that a reader can remove it.
///
/// In some spreadsheets, the list separator is a semicolon or a tab. Such a spreadsheet begins a cell after each of
/// these, and after each line break, even inside quotation marks: such marks count only at the beginning of a cell, so
/// they don't hold the field together. Therefore, each of these cells is treated like a field.
enum CSV {
    static func field(ofText text: String) -> String { replacingBeginnings(of: text) { "'\($0)" } }

    /// Returns the text of a field, without the apostrophes that were put in front of it or of its cells.
    static func text(ofField field: String) -> String {
        replacingBeginnings(of: field) { $0 == "'" ? "" : String($0) }
    }

    /// Replaces the first character of each cell that looks like a formula with the result of `replace`.
    private static func replacingBeginnings(
        of text: String, _ replace: (Unicode.Scalar) -> String
    ) -> String {
        var result = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        var isFirst = true
        var begins = true
        while let scalar = rest.first {
            if begins, looksLikeAFormula(rest, isFirst: isFirst) {
                result.append(contentsOf: replace(scalar).unicodeScalars)
            } else {
                result.append(scalar)
            }
            rest.removeFirst()
            isFirst = false
            begins = separators.contains(scalar)
        }
        return String(result)
    }

    private static let separators: Set<Unicode.Scalar> = [";", "\t", "\n", "\r"]

    /// Returns whether a cell looks like a formula. Ignores leading apostrophes, so that adding and removing one is
    /// reversible, and invisible characters. After the first cell, also ignores quotation marks, because a cell may
    /// begin with them.
    private static func looksLikeAFormula(_ text: Substring.UnicodeScalarView, isFirst: Bool) -> Bool {
        for scalar in text {
            switch scalar {
            case "\t", "\r", "\n": return isFirst
            case "=", "+", "-", "@": return true
            // These are the full-width forms of the same signs.
            case "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}": return true
            case "'": continue
            case "\"" where !isFirst: continue
            default:
                guard [.control, .format].contains(scalar.properties.generalCategory) else { return false }
            }
        }
        return false
    }

    static func row(_ fields: [String]) -> String {
        fields.map { field in
            guard field.utf8.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") })
            else { return field }
            return "\"" + field.replacingOccurrences(of: "\"", with: "\"\"", options: .literal) + "\""
        }.joined(separator: ",") + "\r\n"
    }
}
