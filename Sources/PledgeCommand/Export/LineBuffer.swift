import Foundation
import Pledge
import PledgeBatch
import PledgeCoding
import PledgeFiles
import PledgeHTTP

/// The line of an account while it is being written. A short line is kept in memory. A longer line is moved to a
/// temporary file.
final class LineBuffer: Sendable {
    private struct State {
        /// The bytes that are in memory. They follow the bytes that are in the temporary file.
        var json = JSONText()
        var spilled: [SpillFile.Block] = []
        var section = ""
        var unreadable: [String] = []
        var unreadableCounts: [String: Int] = [:]
    }

    private let state = Locked(State())
    private let file: SpillFile

    /// The maximum number of bytes in memory for each account. With a hundred accounts at a time, this adds up to 20
    /// MB.
    static let mostInMemory = 192 << 10

    init(_ id: AccountID, at address: URL? = nil, spillingTo file: SpillFile = .shared) {
        self.file = file
        state.withLock { state in
            state.json.open("{")
            state.json.field("service", id.service.rawValue)
            state.json.field("account", id.account)
            state.json.field("address", address?.redacted)
        }
    }

    deinit { file.free(state.withLock(\.spilled)) }

    func write(_ body: (inout JSONText) throws -> Void) throws {
        try state.withLock { state in
            try body(&state.json)
            if state.json.count > Self.mostInMemory { try spill(&state) }
        }
    }

    /// Moves the line to the temporary file, to free memory while the account waits. If that fails, the line stays in
    /// memory.
    func spill() { state.withLock { try? spill(&$0) } }

    private func spill(_ state: inout State) throws {
        state.spilled += try file.write(state.json.bytes)
        _ = state.json.takeBytes()
    }

    /// Writes a list. `body` writes the items, and returns a promise that settles when all items are written.
    func list<Value: Sendable>(_ name: StaticString, _ body: () -> Promise<Value>) -> Promise<Value> {
        firstly {
            try write { $0.open("[", name) }
            return body()
        }.get(on: nil) { _ in
            try self.write { $0.close("]") }
        }
    }

    /// Writes all pages as a list of objects; see ``write(_:by:where:_:)``.
    func list<Request: PagedRequest>(
        _ name: StaticString, _ pages: PageSequence<Request>,
        by identity: @escaping @Sendable (Request.Page.Element) -> HashKey,
        _ body: @escaping @Sendable (inout JSONText, Request.Page.Element) -> Void
    ) -> Promise<Void> where Request.Page: Sequence {
        list(name) { write(pages, by: identity, body) }
    }

    /// Writes the items of all pages as objects. Each page is released before the next page is requested.
    ///
    /// - Parameters:
    ///   - identity: Returns a key that identifies an item. If the service inserts items meanwhile, a page repeats
    ///     items of the previous page. Such an item is written only once.
    ///   - isWanted: Returns whether to write an item.
    func write<Request: PagedRequest>(
        _ pages: PageSequence<Request>, by identity: @escaping @Sendable (Request.Page.Element) -> HashKey,
        where isWanted: @escaping @Sendable (Request.Page.Element) -> Bool = { _ in true },
        _ body: @escaping @Sendable (inout JSONText, Request.Page.Element) -> Void
    ) -> Promise<Void> where Request.Page: Sequence {
        let known = Locked<Set<HashKey>>([])
        return pages.forEach { decoded in
            try self.write { json in
                known.withLock { known in
                    for item in decoded.value where isWanted(item) && known.insert(identity(item)).inserted {
                        json.object { body(&$0, item) }
                    }
                }
            }
            return true
        }
    }

    /// Begins a section. From now on, items that could not be read are counted for this section.
    func begin(_ section: ExportOptions.Section) { state.withLock { $0.section = section.rawValue } }

    func add(unreadable item: String) {
        state.withLock { state in
            state.unreadableCounts[state.section, default: 0] += 1
            // Only the texts of the first 20 items are kept, but all items are counted.
            if state.unreadable.count < 20 { state.unreadable.append(item) }
        }
    }

    /// The number of items that could not be read, by section.
    var unreadable: [String: Int] { state.withLock { $0.unreadableCounts } }

    /// Ends the line, and passes its bytes to `write` in several pieces. Call this function only once.
    func finish(_ write: ([UInt8]) throws -> Void) throws {
        try state.withLock { state in
            let more = state.unreadableCounts.values.reduce(0, +) - state.unreadable.count
            if more > 0 { state.unreadable.append("\(NumberText.counted(more, "more item")) could not be read.") }
            if !state.unreadable.isEmpty { state.json.texts("unreadable", state.unreadable) }
            state.json.close("}")
            state.json.endLine()
            for block in state.spilled { try write(file.read(block)) }
            try write(state.json.takeBytes())
        }
    }
}

extension LinesFile {
    convenience init(results location: any FileLocation) throws {
        try self.init(at: location, continuing: "continue with --resume")
    }

    /// Ends these lines, and appends them to the file durably.
    func append(_ finished: [LineBuffer]) throws {
        try append { write in
            for line in finished { try line.finish(write) }
        }
    }
}
