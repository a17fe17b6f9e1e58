import Foundation
import Pledge
import PledgeCoding
import PledgeHTTP

extension Account {
    /// Returns a listing of the account's data, with warnings about items that could not be read.
    func listing(columns: [Listing.Column], rows: [[Listing.Cell]], emptyMessage: String) -> Listing {
        Listing(columns: columns, rows: rows, isDemo: isDemo, emptyMessage: emptyMessage, warnings: warnings.all)
    }

    /// Prints a row for each item of one or more lists, and then warnings about items that could not be read.
    ///
    /// Rows are printed in large pieces while the items arrive, so that memory use doesn't depend on the number of
    /// items. Each piece is sorted. If the service inserts items meanwhile, it may send an item twice. Such an item is
    /// printed only once.
    ///
    /// - Parameters:
    ///   - lists: The lists, which are read one after another.
    ///   - identity: Returns a key that identifies an item.
    ///   - column: The key of the column with the timestamps by which each piece is sorted, newest first.
    ///   - isSkipped: Returns whether the listing continues with the next list after this error. Any other error ends
    ///     the listing.
    ///   - row: Returns the cells of an item, or nil if the item is not to be printed.
    /// - Returns: The number of items that the service sent again.
    @discardableResult
    func list<Request: PagedRequest>(
        _ lists: [PageSequence<Request>], by identity: @escaping @Sendable (Request.Page.Element) -> HashKey,
        columns: [Listing.Column], newestBy column: String, emptyMessage: String,
        _ arguments: Arguments, continuingAfter isSkipped: @escaping @Sendable (any Error) -> Bool = { _ in false },
        row: @escaping @Sendable (Request.Page.Element) -> [Listing.Cell]?
    ) throws -> Int where Request.Page: Sequence {
        let piece = Locked(
            ListingPiece(
                Listing(columns: columns, rows: [], isDemo: isDemo, emptyMessage: emptyMessage), newestBy: column,
                arguments))
        let seen = Locked(SeenItems())
        @Sendable func add(_ items: Request.Page) throws {
            let new = seen.withLock { seen in items.filter { seen.isNew(identity($0)) } }
            for cells in new.lazy.compactMap(row) { try piece.withLock { try $0.add(cells) } }
        }
        // The lists are read one after another. Reading all of them at the same time would take several times the
        // memory.
        try lists.reduce(Promise()) { before, pages in
            before.then { _ -> Promise<Void> in
                pages.forEach { decoded in
                    try add(decoded.value)
                    return true
                }.recover(on: nil) { error in
                    guard isSkipped(error) else { throw error }
                }
            }
        }.wait()
        try piece.withLock { try $0.end(warnings: warnings.all) }
        return seen.withLock(\.repeats)
    }
}

/// The rows of a listing that have not been printed yet.
private struct ListingPiece: Sendable {
    private var listing: Listing
    private let arguments: Arguments
    /// The index of the column with the timestamps by which the rows are sorted.
    private let column: Int
    /// The approximate size of the rows in bytes.
    private var size = 0

    /// The number of bytes of rows that are collected before they are printed as one piece. A larger piece would need
    /// too much memory, because rendering a table takes several times the memory of its rows.
    private static let most = 4 << 20

    init(_ listing: Listing, newestBy key: String, _ arguments: Arguments) {
        guard let column = listing.columns.firstIndex(where: { "\($0.key)" == key }) else {
            preconditionFailure("The listing has no column “\(key)”.")
        }
        self.listing = listing
        self.listing.isLast = false
        self.arguments = arguments
        self.column = column
    }

    mutating func add(_ cells: [Listing.Cell]) throws {
        listing.rows.append(cells)
        size += cells.reduce(64) { size, cell in
            if case .text(let text) = cell { size + 48 + text.utf8.count } else { size + 48 }
        }
        if size > Self.most { try print() }
    }

    /// Prints the last rows and the warnings.
    mutating func end(warnings: [String]) throws {
        listing.warnings = warnings
        listing.isLast = true
        try print()
    }

    private mutating func print() throws {
        listing.rows.sort { [column] in $0[column].date ?? .distantPast > $1[column].date ?? .distantPast }
        try listing.write(arguments)
        listing.rows = []
        listing.isFirst = false
        size = 0
    }
}

/// Recognizes items that a service sends again, because other items were inserted between the requests for two pages.
struct SeenItems: Sendable {
    private var keys: Set<HashKey> = []
    /// The number of items that came again.
    private(set) var repeats = 0

    /// Returns whether an item comes for the first time.
    mutating func isNew(_ key: HashKey) -> Bool {
        let isNew = keys.insert(key).inserted
        if !isNew { repeats += 1 }
        return isNew
    }
}
