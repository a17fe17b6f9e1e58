import Foundation
import PledgeHTTP

extension QueryItems {
    /// Adds a moment, in UTC, unless it is nil.
    mutating func add(_ name: String, _ date: Date?) {
        add(name, date.map(ServiceDate.text))
    }

    /// Adds one item with all the texts, unless there are none: commas between them, and `\,` for one inside.
    ///
    /// In order, because a set has none and a request should be the same every time.
    mutating func add(_ name: String, oneOf texts: Set<String>?) {
        guard let texts, !texts.isEmpty else { return }
        add(name, texts.sorted().map { $0.replacingOccurrences(of: ",", with: "\\,") }.joined(separator: ","))
    }

    /// Adds what every paged question ends with.
    mutating func add(limit: Int, pageID: String?) {
        add("limit", limit)
        add("pageID", pageID)
    }
}
