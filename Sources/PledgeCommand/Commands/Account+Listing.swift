import Foundation
import PledgeCoding
import PledgeHTTP

/// The size at which rows are printed; rendering a table takes several times as much memory.
private let pieceSize = 4 << 20

extension Account {
    /// Returns a listing of the account's data, with warnings about undecodable items.
    func listing(columns: [Listing.Column], rows: [[Listing.Cell]], emptyMessage: String) -> Listing {
        Listing(columns: columns, rows: rows, isDemo: isDemo, emptyMessage: emptyMessage, warnings: warnings.all)
    }

    /// Prints a row for each item for which `row` returns one, and then warnings about undecodable items.
    ///
    /// Rows are printed as they arrive, in large pieces, each sorted by a timestamp column, so that memory use does not
    /// depend on their size. An item that comes twice, as when others are inserted meanwhile, is printed once.
    /// The first error ends the listing, unless it is of a list that it can continue without.
    ///
    /// - Returns: The number of items that came again.
    @discardableResult
    func list<Request: PagedRequest>(
        _ lists: [PageSequence<Request>], by identity: @escaping @Sendable (Request.Page.Element) -> HashKey,
        columns: [Listing.Column], newestBy column: Int, emptyMessage: String,
        _ arguments: Arguments, continuingAfter isSkipped: @escaping @Sendable (any Error) -> Bool = { _ in false },
        row: @escaping @Sendable (Request.Page.Element) -> [Listing.Cell]?
    ) throws -> Int where Request.Page: Sequence {
        var listing = Listing(columns: columns, rows: [], isDemo: isDemo, emptyMessage: emptyMessage)
        listing.isLast = false
        // The rows not printed yet, and their approximate size in bytes.
        let piece = Locked((listing: listing, size: 0))
        let known = Locked((items: Set<HashKey>(), again: 0))
        @Sendable func print(_ piece: inout (listing: Listing, size: Int)) throws {
            piece.listing.rows.sort { $0[column].date ?? .distantPast > $1[column].date ?? .distantPast }
            try piece.listing.write(arguments)
            (piece.listing.rows, piece.listing.isFirst, piece.size) = ([], false, 0)
        }
        // Sequential, because the pages of all lists together would take several times the memory.
        try lists.reduce(Promise()) { before, pages in
            before.then { _ -> Promise<Void> in
                pages.forEach { decoded in
                    let new = known.withLock { known in
                        let new = decoded.value.filter { known.items.insert(identity($0)).inserted }
                        known.again += decoded.value.reduce(-new.count) { count, _ in count + 1 }
                        return new
                    }
                    for cells in new.lazy.compactMap(row) {
                        try piece.withLock { piece in
                            piece.listing.rows.append(cells)
                            piece.size += cells.reduce(64) { size, cell in
                                if case .text(let text) = cell { size + 48 + text.utf8.count } else { size + 48 }
                            }
                            if piece.size > pieceSize { try print(&piece) }
                        }
                    }
                    return true
                }.recover(on: nil) { error in
                    guard isSkipped(error) else { throw error }
                }
            }
        }.wait()
        try piece.withLock { piece in
            (piece.listing.warnings, piece.listing.isLast) = (warnings.all, true)
            try print(&piece)
        }
        return known.withLock(\.again)
    }
}
