import Foundation
import PledgeBatch
import PledgeHTTP

/// The draft of an account's line. Nothing is written before it is complete.
final class Draft: Sendable {
    private struct State {
        var page = JSONText()
        var line = Spool()
        var section = ""
        var unreadable: [String] = []
        /// By section.
        var unreadableCounts: [String: Int] = [:]
    }

    private let state = Locked(State())
    private static let pageSize = 64 << 10

    /// - Parameter address: The base URL of the account's server, if its line has one.
    init(_ id: AccountID, at address: URL? = nil) {
        state.withLock { state in
            state.page.open("{")
            state.page.field("service", id.service.rawValue)
            state.page.field("account", id.account)
            state.page.field("address", address?.asBase.redacted)
        }
    }

    func write(_ body: (inout JSONText) throws -> Void) throws {
        try state.withLock { state in
            try body(&state.page)
            if state.page.count > Self.pageSize { try state.line.append(state.page.takeBytes()) }
        }
    }

    /// Writes what `body` produces as the items of a list, however long that takes.
    func list<Value: Sendable>(_ name: StaticString, _ body: () -> Promise<Value>) -> Promise<Value> {
        firstly {
            try write { $0.open("[", name) }
            return body()
        }.get(on: nil) { _ in
            try self.write { $0.close("]") }
        }
    }

    /// Writes the items of all pages as a list of objects; see ``write(_:by:_:)``.
    func list<Request: PagedRequest>(
        _ name: StaticString, _ pages: PageSequence<Request>,
        by identity: @escaping @Sendable (Request.Page.Element) -> HashKey,
        _ body: @escaping @Sendable (inout JSONText, Request.Page.Element) -> Void
    ) -> Promise<Void> where Request.Page: Sequence {
        list(name) { write(pages, by: identity, body) }
    }

    /// Writes one page after another as objects, each released before the next is requested.
    ///
    /// - Parameter identity: Tells items apart: if others are inserted while the list is read, a page repeats some of
    ///   the one before, which are written once.
    func write<Request: PagedRequest>(
        _ pages: PageSequence<Request>, by identity: @escaping @Sendable (Request.Page.Element) -> HashKey,
        _ body: @escaping @Sendable (inout JSONText, Request.Page.Element) -> Void
    ) -> Promise<Void> where Request.Page: Sequence {
        let known = Locked<Set<HashKey>>([])
        return pages.forEach { answer in
            try self.write { json in
                known.withLock { known in
                    for item in answer.value where known.insert(identity(item)).inserted {
                        json.object { body(&$0, item) }
                    }
                }
            }
            return true
        }
    }

    /// Frees its memory, for an account that will wait.
    func spill() {
        state.withLock { state in
            do {
                try state.line.append(state.page.takeBytes())
                try state.line.spill()
            } catch {
                // Without room for it, it stays in memory; writing it reports that, if it still matters then.
            }
        }
    }

    /// What is recorded from now on belongs to a section.
    func begin(_ section: ExportOptions.Section) { state.withLock { $0.section = section.rawValue } }

    /// Records that an item was left out.
    func record(unreadable item: String) {
        state.withLock { state in
            state.unreadableCounts[state.section, default: 0] += 1
            // The first ones are enough; the others are counted.
            if state.unreadable.count < 20 { state.unreadable.append(item) }
        }
    }

    /// The numbers of items that were left out, by section.
    var unreadable: [String: Int] { state.withLock { $0.unreadableCounts } }

    /// Returns the complete line. To be called once.
    func finish() throws -> Spool {
        try state.withLock { state in
            let more = state.unreadableCounts.values.reduce(0, +) - state.unreadable.count
            if more > 0 { state.unreadable.append("\(BatchProgress.counted(more, "more item")) could not be read.") }
            if !state.unreadable.isEmpty { state.page.texts("unreadable", state.unreadable) }
            state.page.close("}")
            state.page.endLine()
            try state.line.append(state.page.takeBytes())
            return state.line
        }
    }
}
