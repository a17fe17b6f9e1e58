/// The name of one of an account's lists. It identifies the state of the list, and appears in messages.
struct ListName: Hashable, CustomStringConvertible {
    let table: String
    let name: String

    init(_ table: String, _ name: String = "") { (self.table, self.name) = (table, name) }

    var description: String {
        switch table {
        case "value" where !name.isEmpty: "The values of “\(name)”"
        case "device_data_point" where !name.isEmpty: "The device data of \(name)"
        case "device_data_point_v2" where !name.isEmpty: "The device data (version 2) of \(name)"
        default: "The \(Self.titles[table] ?? table)"
        }
    }

    /// The table of the list, followed by the list's own name in parentheses if it has one.
    var label: String { name.isEmpty ? table : "\(table) (\(name))" }

    static let titles = [
        "attribute": "attributes", "value": "values", "average": "averages", "correlation": "correlations",
        "insight": "insights", "device_data_point": "settings of device data",
        "device_data_point_v2": "types of device data (version 2)",
        "survey_task": "survey tasks",
        "survey_answer": "survey answers", "notification": "notifications", "external_account": "external accounts",
    ]
}
