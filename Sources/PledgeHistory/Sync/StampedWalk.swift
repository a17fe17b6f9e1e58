import Foundation
import MyDataHelpsKit
import PledgeHTTP
import PledgeCoding

/// Reads a list that can be asked for what has a stamp after some moment: everything first, then what is new.
///
/// The bookmark is the latest stamp of the service's own: no other clock has a say, so that none can be wrong. Of an
/// answer of several pages it is the latest of the first one, because what changes while the others are read may stand
/// on a page that was read before.
struct StampedWalk<Query: PagedQuery & Sendable>: Sendable where Query.Page: ResultPageWithID {
    let list: String
    var name = ""
    let table: Table
    /// The rows of a page, each with its stamp.
    let rows: @Sendable (Query.Page) -> [(row: [SQLValue], stamp: Date)]
    /// How long before the bookmark to begin, in seconds.
    let overlap: TimeInterval
    /// The rows that an answer since a moment has all of; the moment comes last.
    let part: (condition: String, values: [SQLValue])
    let query: @Sendable (_ since: Date?, _ page: String?) -> Query

    func run(_ session: ParticipantSession, _ run: SyncRun, now: Date) -> Promise<Void> {
        firstly { () throws -> Promise<Void> in
            let state = try run.history.read { try $0.states(of: list, account: run.account) }[ExactText(name)]
            guard let state, state.page != nil else { return walk(session, run, from: state ?? SyncState(), now) }
            return walk(session, run, from: state, now).recover(on: .pledge) { error -> Promise<Void> in
                // The page to go on with is not known any more: from the first one, then.
                guard let error = error as? MyDataHelpsError, case .serverError(let response) = error,
                    400..<500 ~= response.statusCode
                else { throw error }
                try run.write { database in
                    var new = state
                    (new.page, new.nextBookmark) = (nil, nil)
                    try database.put([(name, new)], of: list, account: run.account)
                    return ChangeCount()
                }
                return Promise()
            }.then(on: .pledge) { _ -> Promise<Void> in
                // And once more, for what changed on pages that were read before the interruption.
                self.run(session, run, now: now)
            }
        }
    }

    private func walk(
        _ session: ParticipantSession, _ run: SyncRun, from state: SyncState, _ now: Date
    ) -> Promise<Void> {
        firstly { () throws -> Promise<Void> in
            try run.goOn()
            let since = state.bookmark.flatMap { TimestampColumn.date($0) }.map { $0.addingTimeInterval(-overlap) }
            let seen = Locked<(state: SyncState, keys: Set<[SQLValue]>, isWhole: Bool)>((state, [], state.page == nil))
            return session.allPages(query(since, state.page)).forEach { answer in
                let items = rows(answer.value)
                let rows = items.map(\.row)
                var (state, keys, isWhole) = seen.withLock { $0 }
                let latest = items.map(\.stamp).max().map { TimestampColumn.text(min($0, now)) }
                state.nextBookmark = [state.nextBookmark ?? latest, state.bookmark].compactMap { $0 }.max()
                state.page = answer.value.nextPageID?.value
                if state.page == nil {
                    (state.bookmark, state.nextBookmark, state.isComplete) = (state.nextBookmark, nil, true)
                }
                isWhole = isWhole && answer.value.unreadable.isEmpty
                if isWhole { keys.formUnion(rows.map { Array($0[..<table.key.count]) }) }
                try run.write { database in
                    var count = try database.put(rows, into: table)
                    if state.page == nil, isWhole {
                        // A second later, for the service may have cut off fractions.
                        let first = since.map { TimestampColumn.text($0.addingTimeInterval(1)) } ?? ""
                        let part = Table.Part(
                            key: [run.key], condition: self.part.condition, values: self.part.values + [.text(first)])
                        count += try database.remove(part, of: table, except: keys)
                    }
                    try database.put([(name, state)], of: list, account: run.account)
                    return count
                }
                seen.withLock { [state, keys, isWhole] in $0 = (state, keys, isWhole) }
                if state.page != nil { try run.goOn() }
                return true
            }
        }
    }
}

/// Reads survey tasks, which the service cannot be asked for by when they changed: newest first, as far back as one may
/// have changed, which is one that was open or is no older than the overlap.
struct TaskWalk: Sendable {
    let overlap: TimeInterval

    func run(_ session: ParticipantSession, _ run: SyncRun) -> Promise<Void> {
        firstly { () throws -> Promise<Void> in
            try run.goOn()
            let (known, end) = try run.history.read { database in
                let state = try database.states(of: "survey_task", account: run.account)[ExactText("")]
                return (state, state?.isComplete == true ? try changeable(database, run.key) : "")
            }
            let start = known?.isComplete == true ? nil : known?.page
            let seen = Locked<(keys: Set<[SQLValue]>, isWhole: Bool)>(([], start == nil))
            let query = SurveyTaskQuery(sortOrder: .dateDescending, pageID: start.map { .init($0) })
            return session.allPages(query).forEach { answer in
                let tasks = answer.value.items
                var (keys, isWhole) = seen.withLock { $0 }
                isWhole = isWhole && answer.value.unreadable.isEmpty
                keys.formUnion(tasks.map { [run.key, .text($0.id.value)] })
                let oldest = tasks.map(\.insertedDate).min().map { TimestampColumn.text($0) } ?? ""
                let isLast = answer.value.nextPageID == nil
                let isDone = isLast || oldest < end
                try run.write { database in
                    var count = try database.put(tasks.map { $0.row(run.key) }, into: Tables.task)
                    if isDone, isWhole {
                        let part = Table.Part(
                            key: [run.key], condition: "inserted > ?", values: [.text(isLast ? "" : oldest)])
                        count += try database.remove(part, of: Tables.task, except: keys)
                    }
                    var state = known ?? SyncState()
                    state.page = state.isComplete ? nil : answer.value.nextPageID?.value
                    state.isComplete = state.isComplete || isDone
                    try database.put([("", state)], of: "survey_task", account: run.account)
                    return count
                }
                seen.withLock { [keys, isWhole] in $0 = (keys, isWhole) }
                if !isDone { try run.goOn() }
                return !isDone
            }.then(on: .pledge) { _ -> Promise<Void> in
                // Once more, for what changed on pages that were read before an interruption.
                start == nil ? Promise() : self.run(session, run)
            }
        }
    }

    /// Since when tasks may have changed.
    private func changeable(_ database: Database, _ account: SQLValue) throws -> String {
        let open = try database.value(
            "SELECT min(inserted) FROM survey_task WHERE account = ? AND status = 'incomplete'", [account]
        ).text
        let newest = try database.value("SELECT max(inserted) FROM survey_task WHERE account = ?", [account]).text
        let recent = newest.flatMap { TimestampColumn.date($0) }.map {
            TimestampColumn.text($0.addingTimeInterval(-overlap))
        }
        return [open, recent].compactMap { $0 }.min() ?? ""
    }
}
