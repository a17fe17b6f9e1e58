import PledgeCoding
import PledgeHTTP

/// Everything that a session could not read or bring up to date: the errors, the notes, and the counts. It decides from
/// them whether the session may continue, and what it may store. It is a plain value that needs no database.
struct SyncLosses {
    /// Returns a text without the secrets in it. It is called for texts that contain names from the service.
    let hide: @Sendable (String) -> String
    /// The first failure of the service itself. The session fails with this error after it has read the other lists.
    private(set) var failure: (any Error)?
    private var failedLists: [SyncSummary.Gap] = []
    private var notes: [String] = []
    /// The number of unreadable items that have no note of their own, because there are too many of them.
    private var more = 0
    /// The tables that have a note about items with content that the service doesn't document. Each table gets only one
    /// such note.
    private var remarked: Set<String> = []
    /// For each list, the number of items that were read, and the number of items that could not be read.
    private var items: [ListName: (read: Int, lost: Int)] = [:]
    /// For each table, the number of rows that were marked as removed.
    private var removed: [String: Int] = [:]
    /// For each list, the number of rows that are gone but were not marked as removed, because they are suspiciously
    /// many.
    private var doubted: [ListName: Int] = [:]

    /// The maximum number of notes about unreadable items. Further items are only counted, because a service could send
    /// millions of them.
    private static let mostNotes = 20
    /// The number of rows that a session may always mark as removed in a table, even if they are more than one percent
    /// of the table.
    private static let fewRows = 10

    init(hide: @escaping @Sendable (String) -> String = { $0 }) { self.hide = hide }

    /// Records the error of a list, unless the session must end because of it. Returns whether to continue with other
    /// lists. There are two such cases:
    /// - The error affects only this list. The list then becomes a gap of the session.
    /// - The service itself has failed. The session then reads the other lists before it fails.
    mutating func recordGap(of list: ListName, _ error: any Error, _ options: SyncOptions) -> Bool {
        let isService = error.failureKind == .serviceFault
        guard isService || error.concernsOneList else { return false }
        if isService, failure == nil {
            failure = error
        } else {
            add(list, options.kind(error), "could not be read: \(options.describe(error))")
        }
        return true
    }

    /// Records that no item of a list could be read, although the database has rows of that list.
    mutating func recordGap(ofUnreadable list: ListName) {
        add(
            list, "unreadable",
            "could not be read: none of \(items[list]?.lost ?? 0) items is as the service documents. "
                + "The stored data stays, and the next run requests these items again.")
    }

    private mutating func add(_ list: ListName, _ kind: String, _ text: String) {
        failedLists.append(.init(list: list.table, kind: kind, text: "\(list) \(text)"))
    }

    /// Adds a sentence to the notes.
    mutating func record(note text: String) { notes.append(text) }

    /// Records how many items of a list, or of one of its pages, were read. Also records the items that could not be
    /// decoded, and therefore are not stored.
    mutating func record(_ unreadable: [UnreadableItem], of list: ListName, read: Int) {
        // The items are counted even if all of them were read. A later page may have an unreadable item, and the counts
        // must then include the earlier pages.
        items[list, default: (0, 0)].read += read
        items[list]?.lost += unreadable.lost
        for item in unreadable {
            if item.isKept {
                guard remarked.insert(list.table).inserted else { continue }
                notes.append("In \(list.label), and perhaps in other lists: \(item).")
            } else if notes.count < Self.mostNotes {
                notes.append("Missing in \(list.label): \(item).")
            } else {
                more += 1
            }
        }
    }

    /// Returns whether at least one item of a list could not be decoded so far.
    func lacksItems(of list: ListName) -> Bool { items[list]?.lost ?? 0 > 0 }

    /// Returns whether rows of a list may be removed, and records them. They may not be removed if they and the rows
    /// that were removed from the same table before are more than a service can be expected to lose in one night.
    ///
    /// - Parameter stored: Returns the number of the account's rows in the table.
    mutating func acceptsRemovals(_ count: Int, of list: ListName, stored: () throws -> Int) rethrows -> Bool {
        let sum = removed[list.table, default: 0] + count
        // Counting reads every row. So it is done only if the number of removed rows is large enough to be suspicious.
        if sum > Self.fewRows, try sum > stored() / 100 {
            doubted[list, default: 0] += count
            return false
        }
        removed[list.table] = sum
        return true
    }

    /// The lists whose states must not be stored, so that the next session reads them again: lists of which no item
    /// could be read, and lists of which suspiciously many rows are gone.
    var unsettled: Set<ListName> { Set(doubted.keys).union(unreadableLists) }

    /// The lists that have items, none of which could be read, sorted by their labels.
    var unreadableLists: [ListName] {
        items.filter { $1.read == 0 && $1.lost > 0 }.map(\.key).sorted { $0.label < $1.label }
    }

    /// For each table, the number of items that could not be read.
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
        return (failedLists + doubts).map { .init(list: $0.list, kind: $0.kind, text: hide($0.text)) }
            .sorted { $0.text < $1.text }
    }

    /// The sentences about the gaps, and the notes.
    var lines: [String] {
        gaps.map(\.text) + notes.map(hide) + (more == 0 ? [] : ["\(more) more items could not be read."])
    }
}
