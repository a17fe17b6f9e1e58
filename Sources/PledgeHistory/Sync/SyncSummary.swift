import ExistKit
import MyDataHelpsKit
import PledgeCoding
import PledgeHTTP

/// The results of a completed sync.
public struct SyncSummary: Equatable, Sendable, CustomStringConvertible {
    /// The number of requests that were sent.
    public var requests: Int
    /// The numbers of rows that were added, changed, and removed in the database.
    public var changes: ChangeCount
    /// Sentences about the gaps, about items that could not be read, and about items with content that the service
    /// doesn't document. If very many items could not be read, the last sentence tells how many more there are.
    public var notes: [String] = []
    /// The numbers of items that could not be read, by table. These items are not stored.
    public var unreadable: [String: Int] = [:]
    /// The lists that the sync could not bring up to date. The rows that were stored before stay, and the next sync
    /// requests these lists again.
    public var gaps: [Gap] = []

    /// A list that a sync could not bring up to date, although it could read other lists.
    public struct Gap: Equatable, Sendable {
        /// The name of the table that stores the list.
        public var list: String
        /// A code for the reason, such as `forbidden` or `notFound`.
        ///
        /// The code `unreadable` can also mean that none of the list's items could be read, although some are stored.
        /// The code `removals` means that the service no longer had very many of the stored rows, which is likely to be
        /// a fault. To accept such removals, set ``SyncOptions/acceptsRemovals``.
        public var kind: String
        /// A sentence that explains the gap to people.
        public var text: String
    }

    /// The numbers of requests and changes, such as `7 requests, 12 added, 3 changed, none removed`.
    public var description: String {
        func text(_ number: Int) -> String { number == 0 ? "none" : "\(number)" }
        return "\(NumberText.counted(requests, "request")), \(text(changes.added)) added, "
            + "\(text(changes.changed)) changed, \(text(changes.removed)) removed"
    }
}

/// Everything that a run had to leave out: the errors, the notes, and the counts.
struct SyncLosses {
    /// Returns a text without the secrets in it. It is called for texts that contain names from the service.
    let hide: @Sendable (String) -> String
    var failure: (any Error)?
    var lists: [SyncSummary.Gap] = []
    var notes: [String] = []
    /// The number of unreadable items that have no note of their own, because there are too many of them.
    var more = 0
    /// The tables that have a note about items with content that the service doesn't document. Each table gets only one
    /// such note.
    var remarked: Set<String> = []
    /// For each list, the number of items that were read, and the number of items that could not be read.
    var items: [ListName: (read: Int, lost: Int)] = [:]
    /// For each table, the number of rows that were marked as removed.
    var removed: [String: Int] = [:]
    /// For each list, the number of rows that are gone but were not marked as removed, because they are suspiciously
    /// many.
    var doubted: [ListName: Int] = [:]

    /// The lists that have items, none of which could be read.
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
