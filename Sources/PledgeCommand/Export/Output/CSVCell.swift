/// What stands in one cell of a table.
///
/// A spreadsheet runs text that begins like a formula, which lets whoever wrote it read other cells and send them away.
/// Such text gets an apostrophe in front. So that reading can take it off again, text that has one there already gets
/// another.
enum CSVCell: Equatable {
    case text(String)
    /// Digits as they are, with whatever sign.
    case number(String)

    /// A value that arrives as text, whatever it is: a plain decimal number is one.
    init(reading value: String) {
        self = Self.isNumber(value) ? .number(value) : .text(value)
    }

    /// What is written, before it is quoted.
    var field: String {
        switch self {
        case .number(let digits): digits
        case .text(let text): Self.looksLikeAFormula(text) ? "'" + text : text
        }
    }

    /// The text of a cell that was written as one.
    static func text(ofField field: String) -> String {
        field.utf8.first == UInt8(ascii: "'") && looksLikeAFormula(field)
            ? String(field.unicodeScalars.dropFirst()) : field
    }

    /// Whatever stands before it, apostrophes and what cannot be seen: that makes adding and taking one off exact.
    private static func looksLikeAFormula(_ text: String) -> Bool {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "=", "+", "-", "@", "\t", "\r", "\n": return true
            // The same signs in the width of Chinese and Japanese letters.
            case "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}": return true
            case "'": continue
            default:
                guard [.control, .format].contains(scalar.properties.generalCategory) else { return false }
            }
        }
        return false
    }

    private static func isNumber(_ text: String) -> Bool {
        var rest = text.utf8[...]
        func skip(_ characters: String) {
            if let first = rest.first, characters.utf8.contains(first) { rest.removeFirst() }
        }
        func digits() -> Bool {
            let digits = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
            rest = rest[digits.endIndex...]
            return !digits.isEmpty
        }
        skip("+-")
        guard digits() else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            guard digits() else { return false }
        }
        guard let mark = rest.first else { return true }
        guard "eE".utf8.contains(mark) else { return false }
        rest.removeFirst()
        skip("+-")
        return digits() && rest.isEmpty
    }
}
