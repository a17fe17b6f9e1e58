import ExistKit
import Foundation
import PledgeCoding

/// The progress of reading one list of an account: a row of `sync_state`.
struct SyncState: Equatable, Sendable {
    /// The point through which the list was read: a day, or a timestamp from the service.
    var bookmark: String?
    /// The earliest day that was read.
    var oldest: String?
    /// The day of an attribute's first value, once it is known.
    var begins: String?
    /// Whether the list was read back to its beginning.
    var isComplete = false
    /// The page to resume at after an interruption.
    var page: String?
    /// The bookmark to set after the last page has been read.
    var nextBookmark: String?
    /// The day an attribute was first found to be out of use.
    var inactive: String?
}

extension Database {
    /// Returns the states of a list, by name.
    func states(of list: String, account: Int) throws -> [ExactText: SyncState] {
        var states: [ExactText: SyncState] = [:]
        let part = Table.Part(key: [.integer(account), .text(list)])
        try read(part, of: table("sync_state")) { row in
            states[ExactText(row[0].text ?? "")] = SyncState(
                bookmark: row[1].text, oldest: row[2].text, begins: row[3].text, isComplete: row[4] == 1,
                page: row[5].text, nextBookmark: row[6].text, inactive: row[7].text)
        }
        return states
    }

    /// Writes states. Call this in the transaction that writes the data they account for.
    func put(_ states: [(name: String, state: SyncState)], of list: String, account: Int) throws {
        _ = try put(
            states.map { name, state in
                [
                    .integer(account), .text(list), .text(name), SQLValue(state.bookmark), SQLValue(state.oldest),
                    SQLValue(state.begins), SQLValue(state.isComplete), SQLValue(state.page),
                    SQLValue(state.nextBookmark), SQLValue(state.inactive),
                ]
            }, into: "sync_state", within: Table.Part(key: [.integer(account), .text(list)]))
    }
}

extension ValueProgress {
    init(_ attribute: Attribute, _ state: SyncState?) {
        let isActive = attribute.active ?? true
        self.init(
            name: attribute.name, isListed: isActive && attribute.priority < 10, isActive: isActive,
            newest: state?.bookmark.flatMap { ExistDay($0) }, oldest: state?.oldest.flatMap { ExistDay($0) },
            begins: state?.begins.flatMap { ExistDay($0) }, isComplete: state?.isComplete ?? false,
            inactive: state?.inactive.flatMap { ExistDay($0) })
    }

    var state: SyncState {
        SyncState(
            bookmark: newest?.description, oldest: oldest?.description, begins: begins?.description,
            isComplete: isComplete, inactive: inactive?.description)
    }
}
