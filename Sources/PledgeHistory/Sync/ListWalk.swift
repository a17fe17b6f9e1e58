import Foundation
import MyDataHelpsKit
import Pledge
import PledgeCoding

extension SyncRun {
    /// Reads a list, and resumes at the page at which an earlier run was interrupted, if there is such a page.
    ///
    /// After a resumed reading, the list is read once more from its first page, because pages that the earlier run had
    /// read may have changed. If the service no longer has the page to resume at, the list is read from its first page
    /// right away.
    ///
    /// - Parameter walk: Reads the list from a state. The state is nil if nothing of the list has been stored yet.
    func resuming(
        _ list: String, _ name: String = "", _ walk: @escaping @Sendable (SyncState?) throws -> Promise<Void>
    ) throws -> Promise<Void> {
        try goOn()
        let states = try history.read { try $0.states(of: list, account: account) }
        guard let state = states[ExactText(name)], state.page != nil else {
            return try walk(states[ExactText(name)])
        }
        return try walk(state).recover(only: MyDataHelpsError.self, on: history.queue) { error -> Void in
            // A 403 means that the token lacks a permission, so the service would refuse the first page, too.
            guard case .serverError = error, error.failureKind != .forbidden, error.concernsOneList else { throw error }
            var first = state
            first.page = nil
            first.nextBookmark = nil
            try self.history.write { [first] in try self.put([(name, first)], of: list, in: $0) }
        }.then(on: history.queue) { _ -> Promise<Void> in try self.resuming(list, name, walk) }
    }

    /// Reads the pages of a participant's list, beginning with the `page` of the state.
    /// ``walk(_:of:_:from:mayRemove:unreadable:read:)`` describes the parameters.
    func walk<Query: PagedByID & Sendable>(
        _ query: Query, of list: String, _ name: String = "", from state: SyncState?,
        in pages: (Query) -> PageSequence<Query>,
        read: @escaping @Sendable (Query.Page, inout SyncState) -> (rows: [[SQLValue]], all: Table.Part?)
    ) -> Promise<Void> {
        var query = query
        query.pageID = state?.page.map { .init($0) }
        return walk(
            pages(query), of: list, name, from: state, mayRemove: state.map { $0.page == nil } ?? false,
            unreadable: \.unreadable
        ) { page, state in
            state.page = page.nextPageID?.value
            return read(page, &state)
        }
    }

    /// Reads the pages of a list, and writes each page together with the new state of the list.
    ///
    /// - Parameters:
    ///   - state: The state of the list before this call; nil if nothing of the list has been stored yet.
    ///   - mayRemove: Whether to remove stored rows that are not on the pages. If it is false, the keys of the rows on
    ///     the pages, which may be millions, are not kept in memory. A first sync has nothing to remove.
    ///   - read: Returns the rows of a page, and updates the state. For the last page that is needed, it also returns
    ///     the part of the table that all pages together cover. Only rows of this part are removed.
    func walk<Query: PagedRequest>(
        _ pages: PageSequence<Query>, of list: String, _ name: String = "", from state: SyncState?, mayRemove: Bool,
        unreadable: @escaping @Sendable (Query.Page) -> [UnreadableItem],
        read: @escaping @Sendable (Query.Page, inout SyncState) -> (rows: [[SQLValue]], all: Table.Part?)
    ) -> Promise<Void> {
        let seen = Locked<(state: SyncState, keys: Set<[SQLValue]>, isWhole: Bool)>(
            (state ?? SyncState(), [], mayRemove))
        return pages.forEach { decoded in
            let unreadable = unreadable(decoded.value)
            let (rows, all, state, isWhole) = seen.withLock { seen in
                seen.isWhole = seen.isWhole && unreadable.lost == 0
                let (rows, all) = read(decoded.value, &seen.state)
                return (rows, all, seen.state, seen.isWhole)
            }
            self.record(unreadable, of: ListName(list, name), read: rows.count)
            try self.write { database in
                var count = try database.put(rows, into: list)
                if isWhole {
                    let width = try database.table(list).width
                    // The set of keys is updated in place. A long list has so many keys that copying the set for every
                    // page would take too long.
                    seen.withLock { $0.keys.formUnion(rows.map { Array($0[..<width]) }) }
                    if let all {
                        count += try database.remove(
                            all, of: list, except: seen.withLock(\.keys), self.removal(of: list, name))
                    }
                }
                try self.put([(name, state)], of: list, in: database)
                return count
            }
            if all == nil { try self.goOn() }
            return all == nil
        }
    }
}

/// The name of one of an account's lists. It identifies the state of the list, and appears in messages.
struct ListName: Hashable, CustomStringConvertible {
    let table: String
    let name: String

    init(_ table: String, _ name: String = "") { (self.table, self.name) = (table, name) }

    var description: String {
        switch table {
        case "value" where !name.isEmpty: "The values of “\(name)”"
        case "device_data_point" where !name.isEmpty: "The device data of \(name)"
        case "device_data_point_v2" where !name.isEmpty: "The device data (version 2) of \(name)"
        default: "The \(Self.titles[table] ?? table)"
        }
    }

    /// The table of the list, followed by the list's own name in parentheses if it has one.
    var label: String { name.isEmpty ? table : "\(table) (\(name))" }

    static let titles = [
        "attribute": "attributes", "value": "values", "average": "averages", "correlation": "correlations",
        "insight": "insights", "device_data_point": "settings of device data",
        "device_data_point_v2": "types of device data (version 2)",
        "survey_task": "survey tasks",
        "survey_answer": "survey answers", "notification": "notifications", "external_account": "external accounts",
    ]
}

/// The format of timestamps in the database. All are in UTC and have six fractional digits, so that sorting them as
/// text sorts them by time.
enum TimestampColumn {
    /// Returns text such as `2026-11-20T07:30:00.123000Z`.
    static func text(_ date: Date) -> String { Timestamp.text(date, digits: 6) }

    static func date(_ text: String) -> Date? { Timestamp.parse(text)?.date }
}

/// The format of the few columns that contain JSON. Equal values always have the same text.
enum JSONColumn {
    static func text(_ value: some Encodable) -> String {
        (try? JSONEncoder.text(value)) ?? "null"
    }
}
