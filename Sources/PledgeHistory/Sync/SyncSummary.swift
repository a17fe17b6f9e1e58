import ExistKit
import MyDataHelpsKit
import PledgeCoding
import PledgeHTTP

/// The results of a completed sync.
public struct SyncSummary: Equatable, Sendable, CustomStringConvertible {
    /// The number of requests that were sent.
    public var requests: Int
    /// The numbers of rows that changed in the database.
    public var changes: ChangeCount
    /// A sentence for each gap, and for each item that could not be read or contained something that the service
    /// doesn't document.
    public var notes: [String] = []
    /// The numbers of items that could not be read, and are therefore not stored, by table.
    public var unreadable: [String: Int] = [:]
    /// The lists that are not up to date. Their stored rows are unchanged, and the next sync requests them again.
    public var gaps: [Gap] = []

    /// A list that a sync could not bring up to date, unlike other lists.
    public struct Gap: Equatable, Sendable {
        /// The name of its table.
        public var list: String
        /// A code for the reason, such as `forbidden` or `notFound`. The code `unreadable` also means that none of the
        /// list's items could be read although some are stored. The code `removals` means that more rows were gone than
        /// a service can be expected to lose; ``SyncOptions/acceptsRemovals`` accepts that.
        public var kind: String
        /// A sentence for people.
        public var text: String
    }

    /// A clause such as `7 requests, 12 added, 3 changed, none removed`.
    public var description: String {
        func text(_ number: Int) -> String { number == 0 ? "none" : "\(number)" }
        return "\(NumberText.counted(requests, "request")), \(text(changes.added)) added, "
            + "\(text(changes.changed)) changed, \(text(changes.removed)) removed"
    }
}

/// The errors, notes, and counts of everything that a run had to leave out.
struct SyncLosses {
    /// Hides secrets in a text that contains names from the service.
    let hide: @Sendable (String) -> String
    var failure: (any Error)?
    var lists: [SyncSummary.Gap] = []
    var notes: [String] = []
    /// The number of items that have no note, because there are too many.
    var more = 0
    /// The tables with a note about items that were read but contained something that the service doesn't document.
    var remarked: Set<String> = []
    /// The number of items that were read, and the number of items that could not be read, by list.
    var items: [ListName: (read: Int, lost: Int)] = [:]
    /// The number of rows that were marked as removed, by table.
    var removed: [String: Int] = [:]
    /// The number of rows that are gone but were not marked, because they are too many, by list.
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
                    "\(list) no longer contain \(count) items that are stored, which is unusually many: nothing was "
                    + "marked as removed. If they were removed on purpose, accept that once (--accept-removals).")
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
