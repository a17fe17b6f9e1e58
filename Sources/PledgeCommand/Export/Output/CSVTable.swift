/// A tidy table beside the results: one fact per row, in the format of RFC 4180.
enum CSVTable: String, CaseIterable, Sendable {
    case values, averages, correlations, insights, tasks, answers

    var columns: [String] {
        switch self {
        case .values: ["service", "account", "attribute", "day", "value"]
        case .averages: ["service", "account", "attribute", "day", "weekday", "value"]
        case .correlations: ["service", "account", "attribute", "attribute2", "day", "value", "stars", "sentence"]
        case .insights: ["service", "account", "day", "type", "text"]
        case .tasks: ["service", "account", "survey", "status", "due", "assigned"]
        case .answers: ["service", "account", "survey", "result", "step", "question", "day", "answer"]
        }
    }

    /// `results.jsonl` has its values in `results.values.csv`.
    func path(beside results: String) -> String {
        let stem = results.hasSuffix(".jsonl") ? String(results.dropLast(6)) : results
        return "\(stem).\(rawValue).csv"
    }

    static func row(_ cells: [CSVCell]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, cell) in cells.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            let field = cell.field
            guard field.utf8.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") })
            else {
                bytes += field.utf8
                continue
            }
            bytes.append(UInt8(ascii: "\""))
            for byte in field.utf8 {
                if byte == UInt8(ascii: "\"") { bytes.append(byte) }
                bytes.append(byte)
            }
            bytes.append(UInt8(ascii: "\""))
        }
        return bytes + [0x0D, 0x0A]
    }

    static func row(_ texts: [String]) -> [UInt8] { row(texts.map(CSVCell.text)) }
}
