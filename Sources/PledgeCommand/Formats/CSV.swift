import Foundation

/// Fields and rows of CSV that are safe to open in a spreadsheet.
///
/// A spreadsheet evaluates a text that begins like a formula. The author of the text could use this to read other cells
/// and send their content away. Therefore, ``field(ofText:)`` puts an apostrophe in front of the text. If the text
/// already has an apostrophe in front of a formula, it gets a second apostrophe, so that ``text(ofField:)`` can restore
/// the original text.
///
/// Some spreadsheets expect a semicolon or a tab between cells. They begin a new cell after each semicolon, tab, and
/// line break, even inside a quoted field, because they recognize a quotation mark only at the beginning of a cell.
/// Therefore, the text is split at these characters, and each piece that looks like a formula gets an apostrophe.
enum CSV {
    static func field(ofText text: String) -> String { replacingBeginnings(of: text) { "'\($0)" } }

    /// Returns the original text of a field, without the apostrophes that ``field(ofText:)`` added.
    static func text(ofField field: String) -> String {
        replacingBeginnings(of: field) { $0 == "'" ? "" : String($0) }
    }

    /// Splits a text at the separators that some spreadsheets recognize. Replaces the first character of each piece
    /// that looks like a formula with the result of `replace`.
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

    /// Returns whether the cell at the beginning of `text` looks like a formula.
    ///
    /// Invisible characters at the beginning of the cell are ignored. Apostrophes there are ignored, too. So a cell
    /// still looks like a formula after it got an apostrophe, and the apostrophe can be removed again.
    ///
    /// - Parameter isFirst: Whether this is the first cell of the text. Any other cell may begin with a quotation mark,
    ///   which is then ignored.
    private static func looksLikeAFormula(_ text: Substring.UnicodeScalarView, isFirst: Bool) -> Bool {
        for scalar in text {
            switch scalar {
            case "\t", "\r", "\n": return isFirst
            case "=", "+", "-", "@": return true
            // The full-width forms of the signs =, +, -, and @. Some spreadsheets accept them at the beginning of a
            // formula.
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

extension CSV {
    /// A row of a table.
    struct Row {
        /// The number of the row's first line.
        var line: Int
        var fields: [String] = []
        /// False if text follows the quotation mark that ends a field.
        var isWhole = true
    }

    /// Returns the rows of a table in the format of RFC 4180. In a table with tabs, quotation marks have no special
    /// meaning.
    static func rows(_ text: String, separator: String) -> [Row] {
        var reader = RowReader(separator)
        for byte in text.utf8 { reader.read(byte) }
        if text.utf8.last != RowReader.feed { reader.read(RowReader.feed) }
        // If a quotation mark is never closed, its field extends to the end of the file. The incomplete row is returned
        // so that an error is reported for it.
        return reader.isQuoted ? reader.rows + [reader.row] : reader.rows
    }

    /// Reads a table byte by byte.
    private struct RowReader {
        static let feed = UInt8(ascii: "\n")
        private static let quote = UInt8(ascii: "\"")

        private let separator: UInt8?
        private(set) var rows: [Row] = []
        private(set) var row = Row(line: 1)
        private var field: [UInt8] = []
        private var line = 1
        /// Whether the byte that follows is inside quotation marks.
        private(set) var isQuoted = false
        /// Whether the field has had a quotation mark that begins or ends its text.
        private var wasQuoted = false
        private var last: UInt8?

        init(_ separator: String) { self.separator = separator.utf8.first }

        private var mayBeQuotationMark: Bool {
            separator != UInt8(ascii: "\t") && (isQuoted || field.isEmpty || last == Self.quote && wasQuoted)
        }

        mutating func read(_ byte: UInt8) {
            switch byte {
            case Self.quote where mayBeQuotationMark:
                // Inside quotation marks, two quotation marks stand for one. In a field that doesn't begin with a
                // quotation mark, quotation marks are normal text.
                if !isQuoted, last == Self.quote, wasQuoted { field.append(byte) }
                isQuoted.toggle()
                wasQuoted = true
            case separator where !isQuoted: endField()
            case Self.feed where !isQuoted:
                // A carriage return before the line feed doesn't belong to the field.
                if last == UInt8(ascii: "\r") { field.removeLast() }
                endField()
                rows.append(row)
                row = Row(line: line + 1)
            default:
                if wasQuoted, !isQuoted, byte != UInt8(ascii: "\r") { row.isWhole = false }
                field.append(byte)
            }
            if byte == Self.feed { line += 1 }
            last = byte
        }

        private mutating func endField() {
            row.fields.append(String(decoding: field, as: UTF8.self))
            field = []
            wasQuoted = false
        }
    }
}
