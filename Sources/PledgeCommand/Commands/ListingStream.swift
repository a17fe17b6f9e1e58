import Foundation
import PledgeHTTP

/// Prints the rows of a listing as they arrive, in large pieces, so that a list of any length takes little memory.
final class ListingStream: Sendable {
    typealias Order = @Sendable (_ one: [Listing.Cell], _ other: [Listing.Cell]) -> Bool

    /// The order by the time in a column, newest first.
    static func newest(_ column: Int) -> Order {
        { $0[column].date ?? .distantPast > $1[column].date ?? .distantPast }
    }

    private struct State {
        var rows: [[Listing.Cell]] = []
        var size = 0
        var isFirst = true
    }

    private let listing: Listing
    private let arguments: Arguments
    private let order: Order?
    private let state = Locked(State())
    /// The estimated size in bytes at which a piece is printed: rendering a table takes several times as much.
    private static let pieceSize = 4 << 20
    /// The number of rows to print; nil for all.
    private let limit: Int?

    /// - Parameters:
    ///   - listing: The columns, without rows.
    ///   - order: Whether a row is to be printed before another, if they are in the same piece.
    init(_ listing: Listing, _ arguments: Arguments, sortedBy order: Order? = nil) {
        (self.listing, self.arguments, self.order) = (listing, arguments, order)
        limit = Listing.rowLimit(arguments)
    }

    private static let fewRows = 1_000

    func add(_ row: [Listing.Cell]) throws {
        try state.withLock { state in
            state.rows.append(row)
            if let limit {
                // Which rows are the first is not known before the last, so only as many are kept.
                guard state.rows.count >= 2 * limit + Self.fewRows else { return }
                if let order { state.rows.sort(by: order) }
                state.rows.removeLast(state.rows.count - limit)
                return
            }
            state.size += row.reduce(64) { $0 + $1.size }
            if state.size > Self.pieceSize { try print(&state, isLast: false) }
        }
    }

    /// Adds a row for each item of all pages for which `row` returns one. Each page is released before the next.
    func add<Request: PagedRequest>(
        _ pages: PageSequence<Request>, row: @escaping @Sendable (Request.Page.Element) -> [Listing.Cell]?
    ) -> Promise<Void> where Request.Page: Sequence {
        pages.forEach { answer in
            for item in answer.value {
                if let row = row(item) { try self.add(row) }
            }
            return true
        }
    }

    /// Prints the last piece.
    func end(_ warnings: [String]) throws { try state.withLock { try print(&$0, warnings, isLast: true) } }

    private func print(_ state: inout State, _ warnings: [String] = [], isLast: Bool) throws {
        var piece = listing
        piece.warnings = warnings
        piece.rows = state.rows
        if let order { piece.rows.sort(by: order) }
        let isFirst = state.isFirst
        state = State(isFirst: false)
        try piece.write(arguments, isFirst: isFirst, isLast: isLast)
    }
}

extension Listing.Cell {
    /// An estimate of its size in bytes.
    fileprivate var size: Int {
        if case .text(let text) = self { return 48 + text.utf8.count }
        return 48
    }
}

extension Account {
    /// Prints rows as they arrive, until the promise that `fill` returns is fulfilled, and then what could not be read.
    func stream(
        columns: [Listing.Column], emptyMessage: String, _ arguments: Arguments,
        sortedBy order: ListingStream.Order? = nil,
        _ fill: (ListingStream) throws -> Promise<Void>
    ) throws {
        let listing = Listing(columns: columns, rows: [], isDemo: isDemo, emptyMessage: emptyMessage)
        let stream = ListingStream(listing, arguments, sortedBy: order)
        try fill(stream).wait()
        try stream.end(warnings.all)
    }
}
