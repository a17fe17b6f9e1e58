import Foundation
import PledgeBatch
import PledgeFiles
import PledgeHTTP

/// The line of an account until it is complete: in memory while it is short, otherwise in the spill file.
final class LineBuffer: Sendable {
    private struct State {
        /// What is in memory, which comes after what was spilled.
        var json = JSONText()
        var spilled: [SpillFile.Block] = []
        var section = ""
        var unreadable: [String] = []
        /// By section.
        var unreadableCounts: [String: Int] = [:]
    }

    private let state = Locked(State())
    private let file: SpillFile

    /// The bytes held in memory for one account: with a hundred accounts at work, at most some 20 megabytes.
    static let mostInMemory = 192 << 10

    /// - Parameter address: The base URL of the account's server, if its line has one.
    init(_ id: AccountID, at address: URL? = nil, spillingTo file: SpillFile = .shared) {
        self.file = file
        state.withLock { state in
            state.json.open("{")
            state.json.field("service", id.service.rawValue)
            state.json.field("account", id.account)
            state.json.field("address", address?.asBase.redacted)
        }
    }

    deinit { file.free(state.withLock(\.spilled)) }

    func write(_ body: (inout JSONText) throws -> Void) throws {
        try state.withLock { state in
            try body(&state.json)
            if state.json.count > Self.mostInMemory { try spill(&state) }
        }
    }

    /// Frees its memory, for an account that will wait. Without room for that, it stays in memory.
    func spill() { state.withLock { try? spill(&$0) } }

    private func spill(_ state: inout State) throws {
        state.spilled += try file.write(state.json.bytes)
        _ = state.json.takeBytes()
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

    /// What cannot be read from now on belongs to a section.
    func begin(_ section: ExportOptions.Section) { state.withLock { $0.section = section.rawValue } }

    /// Counts an item that was left out.
    func add(unreadable item: String) {
        state.withLock { state in
            state.unreadableCounts[state.section, default: 0] += 1
            // The first ones are enough; the others are counted.
            if state.unreadable.count < 20 { state.unreadable.append(item) }
        }
    }

    /// The numbers of items that were left out, by section.
    var unreadable: [String: Int] { state.withLock { $0.unreadableCounts } }

    /// Ends the line, and passes it on in pieces. To be called once.
    func finish(_ write: ([UInt8]) throws -> Void) throws {
        try state.withLock { state in
            let more = state.unreadableCounts.values.reduce(0, +) - state.unreadable.count
            if more > 0 { state.unreadable.append("\(BatchProgress.counted(more, "more item")) could not be read.") }
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

    /// Appends finished lines durably.
    func append(_ finished: [LineBuffer]) throws {
        try append { write in
            for line in finished { try line.finish(write) }
        }
    }
}
