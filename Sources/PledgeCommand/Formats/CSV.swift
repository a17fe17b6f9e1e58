import Foundation

/// Fields and rows of tables in CSV.
///
/// A spreadsheet evaluates text that begins like a formula, which lets its author read other cells and send them away.
/// Such text is prefixed with an apostrophe; text that already has one gets another, so that a reader can remove it.
enum CSV {
    static func field(ofText text: String) -> String { looksLikeAFormula(text) ? "'" + text : text }

    /// Returns the text of a field, without the apostrophe that was added to it.
    static func text(ofField field: String) -> String {
        field.hasPrefix("'") && looksLikeAFormula(field) ? String(field.dropFirst()) : field
    }

    /// Ignores leading apostrophes and invisible characters, so that adding and removing an apostrophe is reversible.
    private static func looksLikeAFormula(_ text: String) -> Bool {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "=", "+", "-", "@", "\t", "\r", "\n": return true
            // The full-width forms of the same signs.
            case "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}": return true
            case "'": continue
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
