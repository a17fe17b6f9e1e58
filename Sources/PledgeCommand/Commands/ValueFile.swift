import ExistKit
import Foundation
import PledgeCoding

/// A value to store or to add on a day.
struct ValueEntry {
    var assignment: Assignment
    var day: ExistDay
    /// The number of its line in a file.
    var line: Int?
    var showsDay = true

    /// Its description in messages, such as `line 7, mood 2026-11-20`.
    var title: String {
        (line.map { "line \($0), " } ?? "") + assignment.name.onOneLine + (showsDay ? " \(day)" : "")
    }
}

/// The lines of `set --from`: a table or JSON lines, with the columns and forms of “pledge attributes”.
struct ValueFile {
    private(set) var entries: [ValueEntry] = []
    /// The lines that cannot be read, and why.
    private(set) var problems: [Problem] = []
    private let start: Int
    private var hasLines = false

    typealias Problem = (line: Int, words: String)

    private struct Line: Decodable {
        var attribute: String
        var day: String
        var value: AttributeValue?
    }

    /// - Parameter start: The number of the first line to read, besides the header.
    init(_ bytes: Data, named name: String, from start: Int) throws {
        self.start = start
        // UTF-16 is what spreadsheets call “Unicode text”.
        let encoding =
            [Data([0xFF, 0xFE]), Data([0xFE, 0xFF])].contains(bytes.prefix(2)) ? String.Encoding.utf16 : .utf8
        guard var text = String(bytes: bytes, encoding: encoding) else {
            throw UsageError("\(name) is not text in UTF-8: save it so.")
        }
        if text.hasPrefix("\u{FEFF}") { text.removeFirst() }
        switch text.first(where: { !$0.isWhitespace }) {
        case "{": readLines(text)
        case "[": throw UsageError("\(name) is a JSON array: write JSON lines, as “pledge attributes --jsonl” does.")
        default: try readTable(text, name)
        }
        guard hasLines else { throw UsageError("\(name) has no lines with values.") }
    }

    private mutating func readLines(_ text: String) {
        // Not at every character that is a new line: a text in JSON may contain U+2028.
        for (index, line) in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .enumerated()
        where line.contains(where: { $0 > UInt8(ascii: " ") }) {
            guard let tape = try? JSONTape(Data(line)), let read = try? TapeDecoder.decode(Line.self, from: tape)
            else {
                report(index + 1, "It is not {\"day\":…,\"attribute\":…,\"value\":…}.")
                continue
            }
            let value = read.value.map { value in
                if case .decimal(let number) = value { number.plainText } else { value.plainText }
            }
            add(index + 1, read.attribute, read.day, value ?? "")
        }
    }

    private mutating func readTable(_ text: String, _ name: String) throws {
        let head = text.prefix { !$0.isNewline }
        let separator =
            ["\t", ";", ","].max { left, right in
                head.count { $0 == Character(left) } < head.count { $0 == Character(right) }
            } ?? ","
        let rows = Self.rows(text, separator)
        let header = rows.first?.fields.map { $0.trimmingCharacters(in: .whitespaces).lowercased() } ?? []
        let columns = try ["attribute", "day", "value"].map { wanted in
            guard let index = header.firstIndex(of: wanted) else {
                throw UsageError(
                    "\(name) has no column “\(wanted)”: its first line names the columns day, attribute, and value, as "
                        + "“pledge attributes --csv” does.")
            }
            return index
        }
        for row in rows.dropFirst() where row.fields != [""] {
            guard row.isWhole else {
                report(row.line, "Text follows the quotation mark that ends a field.")
                continue
            }
            guard row.fields.count == header.count else {
                report(
                    row.line, "It has \(NumberText.counted(row.fields.count, "field")) instead of \(header.count).")
                continue
            }
            // A table with tabs has no apostrophe before what a spreadsheet would take for a formula.
            let cells = columns.map { separator == "\t" ? row.fields[$0] : CSV.text(ofField: row.fields[$0]) }
            add(row.line, cells[0], cells[1], cells[2])
        }
    }

    /// Returns the rows of a table in the format of RFC 4180, each with the number of its first line. A table with tabs
    /// has no quotation marks.
    private static func rows(_ text: String, _ separator: String) -> [(line: Int, fields: [String], isWhole: Bool)] {
        let (quote, feed, mark) = (UInt8(ascii: "\""), UInt8(ascii: "\n"), separator.utf8.first)
        var rows: [(line: Int, fields: [String], isWhole: Bool)] = []
        var (fields, field, line, first, isQuoted): ([String], [UInt8], Int, Int, Bool) = ([], [], 1, 1, false)
        var (last, wasQuoted, isWhole): (UInt8?, Bool, Bool) = (nil, false, true)
        for byte in Array(text.utf8) + (text.utf8.last == feed ? [] : [feed]) {
            switch byte {
            case quote where separator != "\t" && (isQuoted || field.isEmpty || last == quote && wasQuoted):
                // A doubled quote is text, and so is one within a field that began without.
                if !isQuoted, last == quote, wasQuoted { field.append(quote) }
                isQuoted.toggle()
                wasQuoted = true
            case mark where !isQuoted, feed where !isQuoted:
                if byte == feed, field.last == UInt8(ascii: "\r") { field.removeLast() }
                fields.append(String(decoding: field, as: UTF8.self))
                (field, wasQuoted) = ([], false)
                if byte == feed {
                    rows.append((first, fields, isWhole))
                    (fields, first, isWhole) = ([], line + 1, true)
                }
            default:
                if wasQuoted, !isQuoted, byte != UInt8(ascii: "\r") { isWhole = false }
                field.append(byte)
            }
            if byte == feed { line += 1 }
            last = byte
        }
        // A quotation mark that nothing closes takes in the rest.
        return isQuoted ? rows + [(first, fields, isWhole)] : rows
    }

    private mutating func add(_ line: Int, _ name: String, _ day: String, _ value: String) {
        // A day without a value: nothing can be stored.
        if value.isEmpty, ExistDay(day) != nil || day.isEmpty { return }
        guard let date = ExistDay(day) else { return report(line, "“\(day)” is not a day such as 2026-11-20.") }
        hasLines = true
        guard line >= start else { return }
        entries.append(ValueEntry(assignment: Assignment(name: name, printed: value), day: date, line: line))
    }

    private mutating func report(_ line: Int, _ words: String) {
        hasLines = true
        if line >= start { problems.append((line, words)) }
    }
}
