import Foundation
import PledgeCoding

/// The output of a command that lists data: rows with named columns. It is printed as a table, JSON, or CSV.
struct Listing: Sendable {
    struct Column: Sendable {
        /// The name of the column in output for programs.
        let key: StaticString
        /// The heading of the column in a table for people. Nil if that table omits the column.
        let heading: String?

        init(_ key: StaticString, _ heading: String?) {
            self.key = key
            self.heading = heading
        }
    }

    enum Cell: Equatable, Sendable {
        case nothing
        case text(String)
        case texts([String])
        /// A number. `shown` is its text for people, if the default format doesn't suit it. `digits` is its text for
        /// programs, if a `Double` can't represent the number exactly.
        case number(Double, shown: String? = nil, digits: String? = nil)
        case flag(Bool)
        /// A date. People see it in the local time zone. Programs get it in the service's time zone, whose offset from
        /// UTC is `offset` seconds, or in UTC if `offset` is nil.
        case date(Date, offset: Int?)

        static func timestamp(_ date: Date?, offset: Int? = nil) -> Cell {
            date.map { .date($0, offset: offset) } ?? .nothing
        }

        static func optional(_ text: String?) -> Cell { text.map(Cell.text) ?? .nothing }

        func shown(in zone: TimeZone = .utc) -> String {
            switch self {
            case .nothing: ""
            case .text(let text): text.safeLines.joined(separator: " – ")
            case .texts(let texts): Cell.text(texts.joined(separator: ", ")).shown()
            case .number(let number, let shown, _):
                shown ?? (Int(exactly: number) == nil ? number.plainText : NumberText.grouped(number))
            case .flag(let flag): flag ? "yes" : "no"
            case .date(let date, _):
                Timestamp.text(date.addingTimeInterval(Double(zone.secondsFromGMT(for: date))))
                    .replacingOccurrences(of: "T", with: " ").prefix(16).description
            }
        }

        var date: Date? {
            if case .date(let date, _) = self { date } else { nil }
        }

        /// The text of the cell in output that separates columns with tabs.
        var plain: String {
            switch self {
            case .number(let number, _, let digits): digits ?? number.plainText
            case .flag(let flag): flag ? "true" : "false"
            case .date(let date, let offset): offset.map { Timestamp.text(date, offset: $0) } ?? Timestamp.text(date)
            case .nothing: ""
            case .text(let text): text.escapingControls
            case .texts(let texts): texts.joined(separator: ", ").escapingControls
            }
        }
    }

    var columns: [Column]
    var rows: [[Cell]]
    var isDemo = false
    var emptyMessage = "There is nothing."
    var warnings: [String] = []
    /// Whether this is the first part of a listing that is printed in several parts.
    var isFirst = true
    var isLast = true

    static let demoNote = demoNote("pledge login")

    static func demoNote(_ login: String) -> String { "DEMO: an invented person's data. “\(login)” shows yours." }

    static let json = Option.flag("--json", "print a JSON array of objects")
    static let jsonl = Option.flag("--jsonl", "print JSON lines, one object per line")
    static let html = Option.file(
        "--html",
        "write the report as a self-contained page; - is standard output. FILE is accessible only to you (mode 600); "
            + "an existing file that belongs to another user, or that others can access, is refused")
    static let csv = Option.flag(
        "--csv", "print CSV for spreadsheets; text that would run as a formula is prefixed with an apostrophe")
    static let plain = Option.flag(
        "--plain", "print one fact per line, without columns, charts, and colors, for screen readers and braille")
    static let options: [any AnyOption] = [json, jsonl, csv, plain]

    static let note = Command.Note(
        title: "OUTPUT",
        text: """
            In a terminal, the output is a table. In a pipe or a file, the same data is separated by tabs, for cut,
            column -ts $'\\t', and awk; a line break within a text is then written \\n, and a backslash \\\\. --json and
            --jsonl are for jq, --csv is for spreadsheets. Only data goes to standard output.
            """)

    /// Returns the name of the option that selects the output format. Returns nil if the user gave none. The default
    /// format then depends on where the output goes.
    @discardableResult static func form(_ arguments: Arguments) throws -> String? {
        let forms = [json, jsonl, csv, plain].filter { arguments[$0] }.map(\.name)
        guard forms.count <= 1 else {
            throw UsageError("\(forms.joined(separator: " and ")) ask for different formats: omit one.")
        }
        return forms.first
    }

    func write(_ arguments: Arguments) throws {
        let terminal = arguments.terminal
        for warning in warnings { terminal.notify("Not everything could be read. \(warning)") }
        switch try Self.form(arguments) {
        case Self.json.name: try terminal.write(jsonText)
        case Self.jsonl.name: try terminal.write(allRows.map { object($0) + "\n" }.joined())
        case Self.csv.name: try terminal.write(csvText(isShown: terminal.outputIsTerminal))
        default:
            let isPlain = arguments[Self.plain]
            guard terminal.outputIsTerminal || isPlain else {
                let lines = heading + allRows.map { $0.map(\.plain) }
                return try terminal.write(lines.map { $0.joined(separator: "\t") + "\n" }.joined())
            }
            if !isFirst, rows.isEmpty { return }
            let table = TextTable(
                listing: self, width: terminal.width, color: !isPlain && terminal.isColorful,
                zone: arguments.context.timeZone, isLinear: isPlain)
            try terminal.show(table.rendered())
        }
    }

    /// The keys of the columns. In the demo, there is an additional column that tells programs that the data is
    /// invented.
    private var keys: [StaticString] { columns.map(\.key) + (isDemo ? ["demo"] : []) }
    private var heading: [[String]] { isFirst ? [keys.map { "\($0)" }] : [] }
    private var allRows: [[Cell]] { isDemo ? rows.map { $0 + [.flag(true)] } : rows }

    private func object(_ row: [Cell]) -> String {
        var json = JSONText()
        json.object { json in
            for (key, cell) in zip(keys, row) {
                switch cell {
                case .nothing: break
                case .text(let text): json.field(key, text)
                case .number(_, _, let digits?): json.field(key, digits: digits)
                case .number(let number, _, nil):
                    if let whole = Int(exactly: number) { json.field(key, whole) } else { json.field(key, number) }
                case .flag(let flag): json.field(key, flag)
                case .texts(let texts): json.texts(key, texts)
                case .date: json.field(key, cell.plain)
                }
            }
        }
        return json.text
    }

    private var jsonText: String {
        if isFirst, isLast, rows.isEmpty { return "[]\n" }
        return (isFirst ? "[\n" : rows.isEmpty ? "" : ",\n")
            + allRows.map { "  " + object($0) }.joined(separator: ",\n") + (isLast ? "\n]\n" : "")
    }

    /// - Parameter isShown: Whether the output goes to a terminal. If it does, characters that control the terminal are
    ///   removed.
    private func csvText(isShown: Bool) -> String {
        let rows = allRows.map { row in
            row.map { cell in
                switch cell {
                case .text(let text): CSV.field(ofText: isShown ? cell.shown() : text)
                case .texts(let texts): CSV.field(ofText: isShown ? cell.shown() : texts.joined(separator: ", "))
                case .number, .flag, .date, .nothing: cell.plain
                }
            }
        }
        return (heading + rows).map(CSV.row).joined()
    }
}
