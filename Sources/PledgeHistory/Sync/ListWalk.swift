import Foundation
import MyDataHelpsKit
import Pledge
import PledgeCoding

extension SyncRun {
    /// Reads a list on from the page at which an earlier run ended, or from its first one if the service no longer knows
    /// that page; and then once more from the first, for what changed on pages that were read before.
    ///
    /// - Parameter walk: reads the list; gets nil where nothing of it was stored yet.
    func resuming(
        _ list: String, _ name: String = "", _ walk: @escaping @Sendable (SyncState?) throws -> Promise<Void>
    ) throws -> Promise<Void> {
        try goOn()
        let states = try history.read { try $0.states(of: list, account: account) }
        guard let state = states[ExactText(name)], state.page != nil else {
            return try walk(states[ExactText(name)])
        }
        return try walk(state).recover(only: MyDataHelpsError.self, on: history.queue) { error -> Void in
            // A refusal is about who asks: the first page would be refused as well.
            guard case .serverError(let response) = error, response.statusCode != 403, error.trouble == .oneList else {
                throw error
            }
            try self.write { database in
                var first = state
                (first.page, first.nextBookmark) = (nil, nil)
                try database.put([(name, first)], of: list, account: self.account)
                return ChangeCount()
            }
        }.then(on: history.queue) { _ -> Promise<Void> in try self.resuming(list, name, walk) }
    }

    /// Reads pages of a list, and writes each together with how far the list is read then.
    ///
    /// - Parameters:
    ///   - list: what it is called, and its table.
    ///   - state: how far it was read; nil where nothing of it was stored yet, which leaves nothing to remove.
    ///   - read: the rows of a page, and what it makes of the state, whose page is the next one. With the last one that is
    ///     needed comes the part of the table that all of them together have all of.
    func walk<Query: PagedByID & Sendable>(
        _ query: Query, of list: String, _ name: String = "", from state: SyncState?, in session: ParticipantSession,
        read: @escaping @Sendable (Query.Page, inout SyncState) -> (rows: [[SQLValue]], all: Table.Part?)
    ) -> Promise<Void> {
        var query = query
        query.pageID = state?.page.map { .init($0) }
        // Of a first reading, which may be of millions, no keys need be kept.
        let mayRemove = state.map { $0.page == nil } ?? false
        let seen = Locked<(state: SyncState, keys: Set<[SQLValue]>, isWhole: Bool)>(
            (state ?? SyncState(), [], mayRemove))
        return session.allPages(query).forEach { answer in
            let (rows, all, state, isWhole) = seen.withLock { seen in
                seen.state.page = answer.value.nextPageID?.value
                seen.isWhole = seen.isWhole && answer.value.unreadable.isEmpty
                let (rows, all) = read(answer.value, &seen.state)
                return (rows, all, seen.state, seen.isWhole)
            }
            try self.write { database in
                var count = try database.put(rows, into: list)
                if isWhole {
                    let width = try database.table(list).width
                    // Where they are: of a long list there are too many to be copied with every page.
                    seen.withLock { $0.keys.formUnion(rows.map { Array($0[..<width]) }) }
                    if let all { count += try database.remove(all, of: list, except: seen.withLock(\.keys)) }
                }
                try database.put([(name, state)], of: list, account: self.account)
                return count
            }
            if all == nil { try self.goOn() }
            return all == nil
        }
    }
}
