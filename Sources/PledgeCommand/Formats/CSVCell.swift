import Foundation

/// The content of a table's cell.
///
/// A spreadsheet evaluates text that begins like a formula, which lets its author read other cells and send them away.
/// Such text is prefixed with an apostrophe; text that already has one gets another, so that a reader can remove it.
enum CSVCell: Equatable {
    case text(String)
    case number(String)

    /// Creates a number if the text is a plain decimal number, otherwise text.
    init(reading value: String) {
        self = Self.isNumber(value) ? .number(value) : .text(value)
    }

    var field: String {
        switch self {
        case .number(let digits): digits
        case .text(let text): Self.looksLikeAFormula(text) ? "'" + text : text
        }
    }

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

    private static func isNumber(_ text: String) -> Bool {
        // Swift also parses “inf”, “0x10”, “.5”, and “4.”.
        let isPlain = text.utf8.allSatisfy { "0123456789.+-eE".utf8.contains($0) }
        let digits = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isWhole = digits.allSatisfy { digits in digits.contains { $0 > 0x2F } }
        return isPlain && isWhole && Double(text) != nil
    }
}

extension CSVCell {
    static func row(_ cells: [CSVCell]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, cell) in cells.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            var field = cell.field
            if field.utf8.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") }) {
                field = "\"" + field.replacingOccurrences(of: "\"", with: "\"\"", options: .literal) + "\""
            }
            bytes += field.utf8
        }
        return bytes + [0x0D, 0x0A]
    }

    static func row(_ texts: [String]) -> [UInt8] { row(texts.map(CSVCell.text)) }
}
