import Foundation
import MyDataHelpsKit
import Pledge
import PledgeCoding

extension SyncRun {
    /// Resumes reading a list at the page at which an earlier run ended. If the service no longer has that page, begins
    /// at the first page. Then reads the list again from the first page, to find changes on pages that were read
    /// before. `walk` reads the list from a state, which is nil if nothing of the list was stored yet.
    func resuming(
        _ list: String, _ name: String = "", _ walk: @escaping @Sendable (SyncState?) throws -> Promise<Void>
    ) throws -> Promise<Void> {
        try goOn()
        let states = try history.read { try $0.states(of: list, account: account) }
        guard let state = states[ExactText(name)], state.page != nil else {
            return try walk(states[ExactText(name)])
        }
        return try walk(state).recover(only: MyDataHelpsError.self, on: history.queue) { error -> Void in
            // A 403 concerns the token, so the service would refuse the first page as well.
            guard case .serverError = error, error.failureKind != .forbidden, error.concernsOneList else { throw error }
            var first = state
            first.page = nil
            first.nextBookmark = nil
            try self.history.write { [first] in try self.put([(name, first)], of: list, in: $0) }
        }.then(on: history.queue) { _ -> Promise<Void> in try self.resuming(list, name, walk) }
    }

    /// Reads the pages of a participant's list; see ``walk(_:of:_:from:mayRemove:unreadable:read:)``. The `page` of the
    /// state is the next page to read.
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

    /// Reads the pages of a list, and writes each page together with the new state of the list. `state` is the previous
    /// state. It is nil if nothing of the list was stored yet, so that there is nothing to remove. `read` returns the
    /// rows of a page, and updates the state. With the last page that is needed, it also returns the part of the table
    /// that all pages together cover completely. If `mayRemove` is true, the other rows of that part are removed. A
    /// first sync removes no rows, so it need not keep the keys of what may be millions of rows.
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
                    // The keys are updated in place, because a long list has too many of them to copy them for every
                    // page.
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

/// The name of an account's list, for its state and for messages.
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

    /// The table, followed by the name in parentheses if there is one.
    var label: String { name.isEmpty ? table : "\(table) (\(name))" }

    static let titles = [
        "attribute": "attributes", "value": "values", "average": "averages", "correlation": "correlations",
        "insight": "insights", "device_data_point": "settings of device data",
        "device_data_point_v2": "types of device data (version 2)",
        "survey_task": "survey tasks",
        "survey_answer": "survey answers", "notification": "notifications", "external_account": "external accounts",
    ]
}

/// The format of timestamps in the database. They are in UTC, and always have six fractional digits, so that they sort
/// as text.
enum TimestampColumn {
    /// Returns text such as `2026-11-20T07:30:00.123000Z`.
    static func text(_ date: Date) -> String { Timestamp.text(date, digits: 6) }

    static func date(_ text: String) -> Date? { Timestamp.parse(text)?.date }
}

/// The format of the few columns that have JSON. Equal values are always written in the same way.
enum JSONColumn {
    static func text(_ value: some Encodable) -> String {
        (try? JSONEncoder.text(value)) ?? "null"
    }
}
