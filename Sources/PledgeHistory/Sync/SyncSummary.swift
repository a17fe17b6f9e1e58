import PledgeCoding

/// The results of a completed sync.
public struct SyncSummary: Equatable, Sendable, CustomStringConvertible {
    /// The number of requests that were sent.
    public var requests: Int
    /// The numbers of rows that changed in the database.
    public var changes: ChangeCount
    /// A sentence for each of the gaps, and for each item that could not be read or was not as promised.
    public var notes: [String] = []
    /// The numbers of items that could not be read, and are therefore not stored, by table.
    public var unreadable: [String: Int] = [:]
    /// The lists that are not up to date. Their stored rows are unchanged, and the next sync requests them again.
    public var gaps: [Gap] = []

    /// A list that a sync could not bring up to date, though it could the others.
    public struct Gap: Equatable, Sendable {
        /// The name of its table.
        public var list: String
        /// A code for the reason: `forbidden`, `notFound`, `unreadable` (also if none of its items could be read,
        /// though some are stored), …, or `removals` if more rows were gone than a service can be expected to lose,
        /// which ``SyncOptions/acceptsRemovals`` accepts.
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
