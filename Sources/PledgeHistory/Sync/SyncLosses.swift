/// The errors, notes, and counts of what a run continues without.
struct SyncLosses {
    /// Returns what may be shown of a text that contains names from the service.
    let hide: @Sendable (String) -> String
    var failure: (any Error)?
    var lists: [SyncSummary.Gap] = []
    var notes: [String] = []
    /// The number of items that are not among the notes.
    var more = 0
    /// The tables with a note about items that are not as promised, but were read.
    var remarked: Set<String> = []
    /// The numbers of items that were read and that could not be, by list.
    var items: [ListName: (read: Int, lost: Int)] = [:]
    /// The number of rows that were marked as removed, by table.
    var removed: [String: Int] = [:]
    /// The numbers of rows that are gone but not marked, since they are too many, by list.
    var doubted: [ListName: Int] = [:]

    /// The lists of which nothing could be read.
    var unread: [ListName] { items.filter { $1.read == 0 && $1.lost > 0 }.map(\.key) }
    var unreadable: [String: Int] {
        Dictionary(items.filter { $1.lost > 0 }.map { ($0.table, $1.lost) }, uniquingKeysWith: +)
    }
    var gaps: [SyncSummary.Gap] {
        let doubts = doubted.map { list, count in
            SyncSummary.Gap(
                list: list.table, kind: "removals",
                text:
                    "\(list) lack \(count) that are stored, more than a service loses in a night: nothing was marked as "
                    + "removed. If they are gone on purpose, accept that once (--accept-removals).")
        }
        return (lists + doubts).map { .init(list: $0.list, kind: $0.kind, text: hide($0.text)) }
            .sorted { $0.text < $1.text }
    }
    var lines: [String] {
        gaps.map(\.text) + notes.map(hide) + (more == 0 ? [] : ["\(more) more items could not be read."])
    }

    mutating func add(_ list: ListName, _ kind: String, _ text: String) {
        lists.append(.init(list: list.table, kind: kind, text: "\(list) \(text)"))
    }
}
