import ExistKit
import Foundation
import PledgeCoding

/// The rows that results have in the tables; an error has none.
struct TableRows {
    /// The pending bytes of each table, starting with the header.
    private(set) var bytes = Dictionary(uniqueKeysWithValues: CSVTable.allCases.map { ($0, CSVCell.row($0.columns)) })
    private var (service, account) = ("", "")
    /// The participant's time zone, in which timestamps become days.
    private var zone = TimeZone.utc

    private static let weekdays: [StaticString] = [
        "overall", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    ]

    mutating func take(_ table: CSVTable) -> [UInt8] { bytes.updateValue([], forKey: table) ?? [] }

    mutating func beginLine() { (service, account, zone) = ("", "", .utc) }

    mutating func add(_ part: JSONTape) throws {
        try part.withRoot { (line) throws(TapeFailure) in try add(line.fields()) }
    }

    private mutating func add(_ fields: TapeFields) throws(TapeFailure) {
        var line = fields
        service = try line.text("service") ?? service
        account = try line.text("account") ?? account
        var participant = try line.present("participant")?.fields()
        var demographics = try participant?.present("demographics")?.fields()
        zone = try demographics?.text("time_zone").flatMap(TimeZone.init(ofService:)) ?? zone
        try line.forEach { (name, list) throws(TapeFailure) in
            guard let table = CSVTable(rawValue: name) else { return }
            try list.forEach { (_, item) throws(TapeFailure) in try add(item.fields(), to: table) }
        }
    }

    private mutating func add(_ fields: TapeFields, to table: CSVTable) throws(TapeFailure) {
        var item = fields
        switch table {
        case .values:
            let (attribute, day) = (try item.cell("attribute"), try item.cell("day"))
            row(table, [attribute, day, try item.value("value").map(cell) ?? .text("")])
        case .averages:
            let average = [try item.cell("attribute"), try item.cell("day")]
            for weekday in Self.weekdays {
                if let value = try item.number(weekday) { row(table, average + [.text("\(weekday)"), value]) }
            }
        case .correlations:
            let pair = [try item.cell("attribute"), try item.cell("attribute2"), try item.cell("day")]
            let (value, stars) = (try item.number("value"), try item.number("stars"))
            row(table, pair + [value ?? .text(""), stars ?? .text(""), try item.cell("second_person")])
        case .insights:
            var type = try item.present("type")?.fields()
            row(table, [try item.cell("target_day"), try type?.cell("name") ?? .text(""), try item.cell("text")])
        case .tasks:
            let task = [try item.cell("survey_name"), try item.cell("status")]
            row(table, task + [try item.day(of: "due_date", in: zone), try item.day(of: "inserted_date", in: zone)])
        case .answers:
            let question = [
                try item.cell("survey_name"), try item.cell("survey_result_id"), try item.cell("step_identifier"),
                try item.cell("result_identifier"), try item.day(of: "date", in: zone),
            ]
            try item.present("answers")?.forEach { (_, answer) throws(TapeFailure) in
                row(table, question + [.text(try answer.text())])
            }
        }
    }

    private mutating func row(_ table: CSVTable, _ cells: [CSVCell]) {
        bytes[table, default: []] += CSVCell.row([.text(service), .text(account)] + cells)
    }

    /// Returns the cell of a value. MyDataHelps sends numbers as text.
    private func cell(_ value: TapeValue) throws(TapeFailure) -> CSVCell {
        switch value.kind {
        case .number: .number(try value.digits())
        case .text where service == AccountID.Service.mydatahelps.rawValue: CSVCell(reading: try value.text())
        case .text: .text(try value.text())
        case .null, .bool, .list, .object: .text("")
        }
    }
}

extension TapeFields {
    fileprivate mutating func cell(_ name: StaticString) throws(TapeFailure) -> CSVCell { .text(try text(name) ?? "") }

    fileprivate mutating func number(_ name: StaticString) throws(TapeFailure) -> CSVCell? {
        try present(name).map { (value) throws(TapeFailure) in .number(try value.digits()) }
    }

    fileprivate mutating func day(of name: StaticString, in zone: TimeZone) throws(TapeFailure) -> CSVCell {
        let time = try text(name).flatMap { Timestamp.parse($0)?.date }
        return .text(time.map { ExistDay($0, in: zone).description } ?? "")
    }
}
