import ExistKit
import Foundation
import PledgeCoding

/// A value that is to be stored for a day, or added to the day's value.
struct ValueEntry {
    var assignment: Assignment
    var day: ExistDay
    /// The number of the line that contains the value; nil if the value doesn't come from a file.
    var line: Int?
    var showsDay = true

    /// The description of the value in messages, such as `line 7, mood 2026-11-20`.
    var title: String {
        (line.map { "line \($0), " } ?? "") + assignment.name.excerpt.onOneLine + (showsDay ? " \(day)" : "")
    }
}

/// The values in the file of `pledge set --from`.
///
/// The file contains JSON lines, a JSON array, or a table whose first line names the columns. It comes from another
/// command of this tool, or from another program that uses the same form. A table may also have one line per day and
/// one column per attribute.
struct ValueFile {
    private(set) var entries: [ValueEntry] = []
    /// The lines that cannot be read, with the reasons.
    private(set) var problems: [Problem] = []
    private let start: Int
    private let allowsDemo: Bool
    private var hasLines = false
    /// The name of the account in the first line that names one, and the number of that line. All other lines must name
    /// the same account.
    private var account: (name: String, line: Int)?

    typealias Problem = (line: Int, text: String)

    /// The fields of a line that describe one value. A field is empty if the line does not have it.
    private struct Facts {
        var attribute = ""
        var day = ""
        var value = ""
        var unit = ""
        /// The name of the account. Only tables from a history database have this field.
        var account = ""
        /// The day on which the service no longer had the value. Only tables from a history database have this field.
        var removed = ""
        var demo = ""

        /// The names of these fields, which are the columns of tables and the members of JSON objects.
        static var columns: KeyValuePairs<String, WritableKeyPath<Facts, String>> {
            [
                "attribute": \.attribute, "day": \.day, "value": \.value, "unit": \.unit, "account": \.account,
                "removed": \.removed, "demo": \.demo,
            ]
        }
    }

    /// Reads the values from the content of a file.
    ///
    /// - Parameters:
    ///   - name: The name of the file, for errors.
    ///   - start: The number of the first line to use. Earlier lines are skipped.
    ///   - allowsDemo: Whether the file may contain invented values of the demo.
    init(_ bytes: Data, named name: String, from start: Int, allowsDemo: Bool) throws {
        self.start = start
        self.allowsDemo = allowsDemo
        // Besides UTF-8, UTF-16 is accepted, because spreadsheets save it under the name “Unicode text”.
        let encoding =
            [Data([0xFF, 0xFE]), Data([0xFE, 0xFF])].contains(bytes.prefix(2)) ? String.Encoding.utf16 : .utf8
        guard var text = String(bytes: bytes, encoding: encoding) else {
            throw UsageError("\(name) is not text in UTF-8: save it as UTF-8.")
        }
        if text.hasPrefix("\u{FEFF}") { text.removeFirst() }
        switch text.first(where: { !$0.isWhitespace }) {
        case nil: throw UsageError("\(name) is empty.")
        case "{": readLines(text)
        case "[": readArray(text)
        default: try readTable(text, name)
        }
        guard hasLines else { throw UsageError("\(name) has no lines with values.") }
    }

    private mutating func add(_ line: Int, _ facts: Facts) {
        let day = facts.day.trimmingCharacters(in: .whitespaces)
        // A line without a value has nothing to store, so it is skipped. But if its day is invalid, the line is
        // reported below.
        if facts.value.isEmpty, ExistDay(day) != nil || day.isEmpty { return }
        guard let date = ExistDay(day) else { return report(line, "“\(day.excerpt)” is not a day such as 2026-11-20.") }
        hasLines = true
        guard line >= start else { return }
        guard facts.removed.isEmpty else {
            return report(
                line,
                "On \(facts.removed.excerpt), Exist had already removed this value: leave out rows of removed values.")
        }
        guard allowsDemo || !["true", "1", "yes"].contains(facts.demo.lowercased()) else {
            return report(line, "It comes from --demo, whose data is invented.")
        }
        let owner = account ?? (facts.account, line)
        guard facts.account.isEmpty || ExactText(facts.account) == ExactText(owner.name) else {
            return report(
                line,
                "It belongs to the account “\(facts.account.excerpt)”, but line \(owner.line) to "
                    + "“\(owner.name.excerpt)”: store one account at a time.")
        }
        if !facts.account.isEmpty { account = owner }
        let name = facts.attribute.trimmingCharacters(in: .whitespaces)
        let unit = facts.unit.trimmingCharacters(in: .whitespaces)
        entries.append(
            ValueEntry(assignment: Assignment(name: name, printed: facts.value, unit: unit), day: date, line: line))
    }

    private mutating func report(_ line: Int, _ text: String) {
        hasLines = true
        if line >= start { problems.append((line, text)) }
    }
}

// MARK: - JSON

extension ValueFile {
    private mutating func readLines(_ text: String) {
        // Splits the text only at line feeds. A string in JSON may contain other line breaks, such as U+2028.
        for (index, line) in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .enumerated()
        where line.contains(where: { $0 > UInt8(ascii: " ") }) {
            readObject(Data(line), index + 1)
        }
    }

    /// Reads a JSON array. Each object in the array counts as one line, even if it extends over several lines of the
    /// file. Its line number is that of the line on which it begins.
    private mutating func readArray(_ text: String) {
        var line = 1
        var first = 1
        var depth = 0
        var isText = false
        var isEscaped = false
        var object: [UInt8] = []
        for byte in text.utf8 {
            let isPart = isText || !"[],\n\r\t ".utf8.contains(byte) || depth > 1
            if byte == UInt8(ascii: "\n") { line += 1 }
            if isText {
                isText = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            } else if byte == UInt8(ascii: "\"") {
                isText = true
            } else if "[{".utf8.contains(byte) {
                depth += 1
            } else if "]}".utf8.contains(byte) {
                depth -= 1
            }
            if isPart {
                if object.isEmpty { first = line }
                object.append(byte)
            } else if !object.isEmpty, byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") {
                readObject(Data(object), first)
                object = []
            }
        }
        if depth > 0 || !object.isEmpty { report(line, "The array that begins with “[” does not end.") }
    }

    private mutating func readObject(_ bytes: Data, _ line: Int) {
        let found = try? JSONTape(bytes).withValue { value in Result { try Self.facts(in: value, of: "") } }
        switch found {
        case .success(let all): all.forEach { add(line, $0) }
        case .failure(let error as UsageError): report(line, "\(error)")
        case .failure, nil: report(line, Self.wrongObject)
        }
    }

    private static let wrongObject = "It is not {\"day\":…,\"attribute\":…,\"value\":…}."

    /// Returns the fields of an object that describes a value. If the object is a line of `pledge export`, returns the
    /// fields of each of its values.
    private static func facts(in object: TapeValue, of account: String) throws -> [Facts] {
        var facts = Facts(account: account)
        var service = ""
        var names = Set<String>()
        var values = [TapeValue]()
        var count = 0
        try object.fields().forEach { (name, value) throws(TapeFailure) in
            count += 1
            if ExactText(name) == ExactText("service") { service = try text(value) }
            if ExactText(name) == ExactText("values"), value.kind == .list {
                try value.forEach { (_, item) throws(TapeFailure) in values.append(item) }
                names.insert("values")
            }
            guard let column = Facts.columns.first(where: { ExactText($0.key) == ExactText(name) }) else { return }
            facts[keyPath: column.value] = try text(value)
            names.insert(column.key)
        }
        guard count == object.count else { throw UsageError("Two of its members have the same name.") }
        if names.contains("values") {
            guard ExactText(service) == ExactText("exist") else { throw UsageError("Its values are not from Exist.") }
            return try values.flatMap { try Self.facts(in: $0, of: facts.account) }
        }
        guard names.isSuperset(of: ["attribute", "day"]) else { throw UsageError(wrongObject) }
        return [facts]
    }

    /// Returns a JSON value as text. For a number, returns its digits exactly as the file has them. For null, returns
    /// an empty text.
    private static func text(_ value: TapeValue) throws(TapeFailure) -> String {
        switch value.kind {
        case .null: ""
        case .number: try value.digits()
        case .bool: try value.bool() ? "true" : "false"
        case .text, .list, .object: try value.text()
        }
    }
}

// MARK: - Tables

extension ValueFile {
    /// The layout of a table.
    private struct TableLayout {
        /// The number of columns.
        var width: Int
        /// The values in each row: what the table's first line says about each value, and its columns.
        var values: [(known: Facts, columns: Columns)]
        var cells: CellForm
    }

    /// The form of the text in a table's cells.
    private enum CellForm {
        /// The text itself.
        case plain
        /// CSV that this tool prints. An apostrophe precedes each text that a spreadsheet would take for a formula.
        case apostrophes
        /// A table with tabs, in which a backslash begins an escape.
        case escapes
    }

    private mutating func readTable(_ text: String, _ name: String) throws {
        let head = text.prefix { !$0.isNewline }
        let separator =
            ["\t", ";", ","].max { left, right in
                head.count { $0 == Character(left) } < head.count { $0 == Character(right) }
            } ?? ","
        let rows = CSV.rows(text, separator: separator)
        let layout = try Self.tableLayout(rows.first?.fields ?? [], separator, name)
        for row in rows.dropFirst() where row.fields != [""] {
            guard row.isWhole else {
                report(row.line, "Text follows the quotation mark that ends a field.")
                continue
            }
            guard row.fields.count == layout.width else {
                report(row.line, "It has \(NumberText.counted(row.fields.count, "field")) instead of \(layout.width).")
                continue
            }
            for value in layout.values {
                do throws(UsageError) {
                    add(row.line, try Self.facts(value.known, value.columns, in: row.fields, layout.cells))
                } catch {
                    report(row.line, "\(error)")
                }
            }
        }
    }

    /// Returns the layout of a table with this first line.
    private static func tableLayout(_ fields: [String], _ separator: String, _ name: String) throws -> TableLayout {
        let names = fields.map { $0.trimmingCharacters(in: .whitespaces) }
        let header = names.map { $0.lowercased() }
        let wide = wide(names, header)
        // Only CSV has apostrophes, and only if it has one line per value and doesn't come from a history database.
        let hasApostrophes = separator != "\t" && wide == nil && !header.contains("account")
        return TableLayout(
            width: header.count, values: try wide ?? [(Facts(), columns(header, name))],
            cells: separator == "\t" ? .escapes : hasApostrophes ? .apostrophes : .plain)
    }

    /// Returns the facts about a value, from the fields of a row.
    private static func facts(
        _ known: Facts, _ columns: Columns, in fields: [String], _ form: CellForm
    ) throws(UsageError) -> Facts {
        var facts = known
        for (index, path) in columns {
            let field = fields[index]
            switch form {
            case .plain: facts[keyPath: path] = field
            case .apostrophes: facts[keyPath: path] = CSV.text(ofField: field)
            case .escapes:
                guard let text = field.unescapingControls else {
                    throw UsageError(
                        "In “\(field.excerpt)”, a backslash does not begin an escape such as \\n: write \\\\ for a "
                            + "backslash.")
                }
                facts[keyPath: path] = text
            }
        }
        return facts
    }

    /// The columns that describe a value: the index of each column in a row, and the property for its content.
    private typealias Columns = [(index: Int, path: WritableKeyPath<Facts, String>)]

    /// Returns the columns of a table that has one line per value.
    private static func columns(_ header: [String], _ name: String) throws -> Columns {
        try Facts.columns.compactMap {
            wanted, path -> Columns.Element? in
            let found = header.indices.filter { ExactText(header[$0]) == ExactText(wanted) }
            guard found.count < 2 else {
                throw UsageError("\(name) has \(found.count) columns “\(wanted)”: keep one of them.")
            }
            guard found.isEmpty else { return (found[0], path) }
            guard !["attribute", "day", "value"].contains(wanted) else {
                throw UsageError(
                    "\(name) has no column “\(wanted)”: its first line names the columns day, attribute, and value, as "
                        + "“pledge attributes --csv” does, or the columns day, mood, and so on.")
            }
            return nil
        }
    }

    /// Returns the attributes of a table that has one line per day and one column per attribute. Returns nil if the
    /// table has another form.
    ///
    /// Each element of the result has the attribute's name and unit, and the columns with the day and the value. The
    /// name of a column may end with a unit, such as `weight (kg)`.
    private static func wide(_ names: [String], _ header: [String]) -> [(known: Facts, columns: Columns)]? {
        let words = header.map(ExactText.init)
        guard !words.contains(ExactText("attribute")), !words.contains(ExactText("value")),
            let day = words.firstIndex(of: ExactText("day")) ?? words.firstIndex(of: ExactText("date"))
        else { return nil }
        return names.indices.filter { $0 != day }.map { index in
            var facts = Facts(attribute: names[index])
            let parts = names[index].split(separator: "(", maxSplits: 1)
            if parts.count == 2, parts[1].last == ")", ValueUnit.named(String(parts[1].dropLast())) != nil {
                facts.attribute = parts[0].trimmingCharacters(in: .whitespaces)
                facts.unit = String(parts[1].dropLast())
            }
            return (facts, [(day, \.day), (index, \.value)])
        }
    }
}
