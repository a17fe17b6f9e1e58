import Foundation
import PledgeHTTP

/// The draft of an account: its line, and its rows of the tables. Nothing is written before it is complete.
final class Draft: Sendable {
    /// The page that a section is written to.
    struct Page {
        let id: AccountID
        var json = JSONText()
        fileprivate var rows: [CSVTable: [UInt8]]?

        mutating func row(_ table: CSVTable, _ cells: @autoclosure () -> [CSVCell]) {
            rows?[table, default: []] += CSVTable.row([.text(id.service.rawValue), .text(id.account)] + cells())
        }
    }

    private struct State {
        var page: Page
        var line = Spool()
        var tables: [CSVTable: Spool] = [:]
        var unreadable: [String] = []
    }

    let id: AccountID
    private let state: Locked<State>
    private static let pageSize = 64 << 10

    /// - Parameter address: The base URL of the account's server, if its line has one.
    init(_ id: AccountID, at address: URL? = nil, withTables: Bool) {
        self.id = id
        var page = Page(id: id, rows: withTables ? [:] : nil)
        page.json.open("{")
        page.json.field("service", id.service.rawValue)
        page.json.field("account", id.account)
        page.json.field("address", address?.asBase.redacted)
        state = Locked(State(page: page))
    }

    func write(_ body: (inout Page) throws -> Void) throws {
        try state.withLock { state in
            try body(&state.page)
            if state.page.json.count > Self.pageSize { try state.line.append(state.page.json.takeBytes()) }
            for (table, rows) in state.page.rows ?? [:] where !rows.isEmpty {
                if state.tables[table] == nil { state.tables[table] = Spool() }
                try state.tables[table]?.append(rows)
                state.page.rows?[table] = []
            }
        }
    }

    /// Writes what `body` produces as the items of a list, however long that takes.
    func list<Value: Sendable>(_ name: StaticString, _ body: () -> Promise<Value>) -> Promise<Value> {
        firstly {
            try write { $0.json.open("[", name) }
            return body()
        }.get(on: nil) { _ in
            try self.write { $0.json.close("]") }
        }
    }

    /// Writes the items of all pages as a list.
    func list<Request: PagedRequest>(
        _ name: StaticString, _ pages: PageSequence<Request>,
        _ body: @escaping @Sendable (inout Page, Request.Page.Element) -> Void
    ) -> Promise<Void> where Request.Page: Sequence {
        list(name) { write(pages, body) }
    }

    /// Writes one page after another, each released before the next is requested.
    func write<Request: PagedRequest>(
        _ pages: PageSequence<Request>, _ body: @escaping @Sendable (inout Page, Request.Page.Element) -> Void
    ) -> Promise<Void> where Request.Page: Sequence {
        pages.forEach { answer in
            try self.write { page in
                for item in answer.value { body(&page, item) }
            }
            return true
        }
    }

    /// Frees its memory, for an account that will wait.
    func rest() {
        state.withLock { state in
            do {
                try state.line.append(state.page.json.takeBytes())
                try state.line.spill()
                for rows in state.tables.values { try rows.spill() }
            } catch {
                // Without room for it, it stays in memory; writing it reports that, if it still matters then.
            }
        }
    }

    /// Records that an item was left out.
    @Sendable func note(unreadable item: String) {
        state.withLock { state in
            // The first ones are enough.
            if state.unreadable.count < 20 { state.unreadable.append(item) }
        }
    }

    /// Returns the complete line and the rows. To be called once.
    func finish() throws -> (line: Spool, tables: [CSVTable: Spool]) {
        try state.withLock { state in
            if !state.unreadable.isEmpty { state.page.json.texts("unreadable", state.unreadable) }
            state.page.json.close("}")
            state.page.json.endLine()
            try state.line.append(state.page.json.takeBytes())
            return (state.line, state.tables)
        }
    }
}
