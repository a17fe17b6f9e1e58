import Foundation

/// Fields and rows of tables in CSV.
///
/// A spreadsheet evaluates text that begins like a formula, which lets its author read other cells and send them away.
/// Such text is prefixed with an apostrophe; text that already has one gets another, so that a reader can remove it.
///
/// Where the list separator of a spreadsheet is a semicolon or a tab, a cell also begins after each of these, and after
/// each line break: the quotation marks of a field count only at the beginning of a cell, and so do not hold it together.
enum CSV {
    static func field(ofText text: String) -> String { replacingBeginnings(of: text) { "'\($0)" } }

    /// Returns the text of a field, without the apostrophes that were added to it.
    static func text(ofField field: String) -> String {
        replacingBeginnings(of: field) { $0 == "'" ? "" : String($0) }
    }

    /// Replaces the first character of each cell that looks like a formula.
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

    /// Ignores leading apostrophes and invisible characters, so that adding and removing an apostrophe is reversible, and
    /// within a text quotation marks, which a cell may begin with.
    private static func looksLikeAFormula(_ text: Substring.UnicodeScalarView, isFirst: Bool) -> Bool {
        for scalar in text {
            switch scalar {
            case "\t", "\r", "\n": return isFirst
            case "=", "+", "-", "@": return true
            // The full-width forms of the same signs.
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
