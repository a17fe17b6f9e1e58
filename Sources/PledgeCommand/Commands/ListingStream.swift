import Foundation
import PledgeHTTP

/// Prints the rows of a listing as they arrive, in large pieces, so that memory use does not depend on its length.
final class ListingStream: Sendable {
    /// The rows not printed yet, and their approximate size in bytes.
    private let piece: Locked<(listing: Listing, size: Int)>
    private let arguments: Arguments
    /// The timestamp column by which the rows of a piece are sorted.
    private let column: Int
    /// The size at which a piece is printed; rendering a table takes several times as much memory.
    private static let pieceSize = 4 << 20

    fileprivate init(_ listing: Listing, _ arguments: Arguments, newestBy column: Int) {
        (piece, self.arguments, self.column) = (Locked((listing, 0)), arguments, column)
    }

    private func add(_ row: [Listing.Cell]) throws {
        try piece.withLock { piece in
            piece.listing.rows.append(row)
            piece.size += row.reduce(64) { size, cell in
                if case .text(let text) = cell { size + 48 + text.utf8.count } else { size + 48 }
            }
            if piece.size > Self.pieceSize { try print(&piece) }
        }
    }

    /// Adds a row for each item for which `row` returns one. Each page is released before the next.
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

    fileprivate func end(_ warnings: [String]) throws {
        try piece.withLock { piece in
            (piece.listing.warnings, piece.listing.isLast) = (warnings, true)
            try print(&piece)
        }
    }

    private func print(_ piece: inout (listing: Listing, size: Int)) throws {
        piece.listing.rows.sort { $0[column].date ?? .distantPast > $1[column].date ?? .distantPast }
        try piece.listing.write(arguments)
        (piece.listing.rows, piece.listing.isFirst, piece.size) = ([], false, 0)
    }
}

extension Account {
    /// Returns a listing of the account's data, with warnings about undecodable items.
    func listing(columns: [Listing.Column], rows: [[Listing.Cell]], emptyMessage: String) -> Listing {
        Listing(columns: columns, rows: rows, isDemo: isDemo, emptyMessage: emptyMessage, warnings: warnings.all)
    }

    /// Prints rows as they arrive until `fill`'s promise is fulfilled, and then warnings about undecodable items.
    func stream(
        columns: [Listing.Column], emptyMessage: String, _ arguments: Arguments,
        newestBy column: Int, _ fill: (ListingStream) throws -> Promise<Void>
    ) throws {
        var listing = Listing(columns: columns, rows: [], isDemo: isDemo, emptyMessage: emptyMessage)
        listing.isLast = false
        let stream = ListingStream(listing, arguments, newestBy: column)
        try fill(stream).wait()
        try stream.end(warnings.all)
    }
}
