import Foundation

/// Rows of text as a Markdown table.
struct Table {
    let title: String
    var rows: [[String]]

    init(_ title: String, headings: [String]) {
        self.title = title
        rows = [headings]
    }

    /// - Parameter heading: The heading of the first column. The other columns are for the contenders.
    init(_ title: String, heading: String) {
        self.init(title, headings: [heading] + contenders.map(\.name))
    }

    mutating func append(_ name: String, _ figure: (any Contender) -> Double?) {
        rows.append([name] + contenders.map { figure($0)?.text ?? "–" })
    }
}

extension Table: CustomStringConvertible {
    var description: String {
        var lines = rows.map { "| " + $0.joined(separator: " | ") + " |" }
        let count = rows.first?.count ?? 1
        lines.insert("|---|" + String(repeating: "---:|", count: count - 1), at: 1)
        return "\(title)\n\n" + lines.joined(separator: "\n")
    }
}

extension Double {
    func rounded(to places: Int) -> String {
        String(format: "%.\(places)f", self)
    }

    /// The number with two significant digits, because ratios aren't more exact than that.
    var text: String {
        rounded(to: self < 9.95 ? (self < 0.095 ? 2 : 1) : 0)
    }
}
