/// A tidy table beside the results, in the format of RFC 4180: one fact per row.
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

    /// Returns `results.values.csv` for `results.jsonl`.
    func path(beside results: String) -> String {
        let stem = results.hasSuffix(".jsonl") ? String(results.dropLast(6)) : results
        return "\(stem).\(rawValue).csv"
    }
}
