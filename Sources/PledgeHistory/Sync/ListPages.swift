import MyDataHelpsKit
import Pledge
import PledgeCoding
import PledgeHTTP

/// What a sync takes from one page of a list.
struct PageRows {
    var rows: [[SQLValue]]
    /// The items of the page that could not be decoded.
    var unreadable: [UnreadableItem]
    /// Whether to end here, even if the service has more pages.
    var isLast: Bool
    /// The part of the table that the pages up to this one cover; nil before the last page, or if that part is not
    /// known. Stored rows of this part that are on none of the pages are removed.
    var covering: Table.Part?
}

extension SyncSession {
    /// Reads a list, and resumes at the page at which an earlier session was interrupted, if there is such a page.
    ///
    /// After a resumed reading, the list is read once more from its first page, because pages that the earlier session
    /// had read may have changed. If the service no longer has the page to resume at, the list is read from its first
    /// page right away.
    ///
    /// - Parameter read: Reads the list from a state. The state is nil if nothing of the list has been stored yet.
    func readResuming(
        _ list: ListName, _ read: @escaping @Sendable (SyncState?) throws -> Promise<Void>
    ) throws -> Promise<Void> {
        try checkNotStopped()
        let state = try storedState(of: list)
        guard let state, state.page != nil else { return try read(state) }
        return try read(state).recover(only: MyDataHelpsError.self, on: history.queue) { error -> Void in
            // A 403 means that the token lacks a permission, so the service would refuse the first page, too.
            guard case .serverError = error, error.failureKind != .forbidden, error.concernsOneList else { throw error }
        }.then(on: history.queue) { _ -> Promise<Void> in
            try self.checkNotStopped()
            // The stored state may still have the page to resume at: that page was lost, or none of its items could be
            // read. So the page is left out here.
            var first = try self.storedState(of: list) ?? SyncState()
            first.page = nil
            first.nextBookmark = nil
            return try read(first)
        }
    }

    /// Reads the pages of a participant's list, beginning with the `page` of the state.
    /// ``readPages(_:of:from:mayRemove:read:)`` describes the parameters.
    func readPages<Query: PagedByID & Sendable>(
        _ query: Query, of list: ListName, from state: SyncState?, in pages: (Query) -> PageSequence<Query>,
        read: @escaping @Sendable (Query.Page, inout SyncState) -> PageRows
    ) -> Promise<Void> {
        var query = query
        query.pageID = state?.page.map { .init($0) }
        return readPages(pages(query), of: list, from: state, mayRemove: state.map { $0.page == nil } ?? false) {
            page, state in
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
    ///   - read: Returns the rows of a page, and updates the state.
    func readPages<Query: PagedRequest>(
        _ pages: PageSequence<Query>, of list: ListName, from state: SyncState?, mayRemove: Bool,
        read: @escaping @Sendable (Query.Page, inout SyncState) -> PageRows
    ) -> Promise<Void> {
        let progress = Locked<(state: SyncState, keys: Set<[SQLValue]>, isWhole: Bool)>(
            (state ?? SyncState(), [], mayRemove))
        // The state for reading the list from its first page again.
        var start = state ?? SyncState()
        start.page = nil
        start.nextBookmark = nil
        return pages.forEach { [start] decoded in
            let (page, state, isWhole) = progress.withLock { progress in
                let page = read(decoded.value, &progress.state)
                progress.isWhole = progress.isWhole && page.unreadable.lost == 0
                return (page, progress.state, progress.isWhole)
            }
            self.record(page.unreadable, of: list, read: page.rows.count)
            try self.write { database in
                var (count, _) = try database.put(page.rows, into: list.table)
                if isWhole {
                    let width = try database.table(list.table).width
                    // The set of keys is updated in place. A long list has so many keys that copying the set for every
                    // page would take too long.
                    progress.withLock { $0.keys.formUnion(page.rows.map { Array($0[..<width]) }) }
                    if let part = page.covering {
                        let stored = try database.keys(of: part, in: list.table)
                        let gone = progress.withLock { progress in stored.filter { !progress.keys.contains($0) } }
                        count += try self.remove(gone, of: list, in: database)
                    }
                }
                if page.covering != nil, self.isUnsettled(list) {
                    // The states of the earlier pages are already stored. With them, the next session would read only
                    // the last page, and would not notice again what is missing.
                    try database.put(start, of: list, account: self.account)
                } else {
                    try self.put([(list, state)], in: database)
                }
                return count
            }
            if !page.isLast { try self.checkNotStopped() }
            return !page.isLast
        }
    }
}
