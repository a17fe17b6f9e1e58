import Foundation
import PledgeHTTP
import PledgeCoding

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension ExistAPI {
    /// Fetches one page of a list; see ``ExistQuery``.
    public func page<Item>(_ query: ExistQuery<Item>) -> Promise<PageOutput<Item>> {
        fetch(query).map(on: nil) { (page: $0.value, response: $0.response.urlResponse) }
    }

    /// Fetches all items of a list, page by page from the query's page, without duplicates if the list shifts. If fewer
    /// different items came than the service announces, that is passed to the client's `onUnreadable`.
    public func all<Item>(_ query: ExistQuery<Item>) -> Promise<ItemsOutput<Item>> {
        walk(query).map(on: nil) { (items: $0.value.results, response: $0.response.urlResponse) }
    }

    /// Returns a sequence of a list's pages, each requested only when it is needed.
    ///
    /// ```swift
    /// for try await page in existAPI.pages(.values(of: "weight")) { … }
    /// ```
    public func pages<Item>(_ query: ExistQuery<Item>) -> PageSequence<ExistQuery<Item>> {
        pages(query, charging: nil)
    }

    private func pages<Item>(
        _ query: ExistQuery<Item>, charging meter: BudgetMeter?
    ) -> PageSequence<ExistQuery<Item>> {
        PageSequence(query, meter: meter ?? self.meter, failure: { ExistError($0) }) { self.sendPage($0.endpoint, $1) }
    }

    private func fetch<Item>(_ query: ExistQuery<Item>) -> Promise<Decoded<ExistPage<Item>>> {
        sendPage(query.endpoint).mapError(on: nil) { ExistError($0) }
    }

    /// Fetches all pages and merges them, without duplicate items.
    ///
    /// - Parameter meter: The meter of the call that this is part of; nil if it is the whole call.
    package func walk<Item>(
        _ query: ExistQuery<Item>, charging meter: BudgetMeter? = nil
    ) -> Promise<Decoded<ExistPage<Item>>> {
        let fetched = Locked<[Decoded<ExistPage<Item>>]>([])
        return pages(query, charging: meter).forEach { page in
            fetched.withLock { $0.append(page) }
            return true
        }.map(on: nil) {
            // There is at least one: if the first page fails, the promise rejects.
            let pages = fetched.withLock { $0 }
            var all = pages[pages.count - 1]
            all.value.previous = pages[0].value.previous
            var seen: Set<HashKey> = []
            all.value.results = query.unseen(pages.flatMap(\.value.results), &seen)
            all.value.unreadable = pages.flatMap(\.value.unreadable)
            let (sent, different) = (pages.map(\.value.results.count).reduce(0, +), all.value.results.count)
            if query.page == 1, !all.value.unreadable.contains(where: \.isMissing), let total = all.value.announced,
                different + all.value.unreadable.undecoded < total
            {
                let again = NumberText.counted(sent - different, "item")
                let missing = UnreadableItem.missing("\(again) came twice, so that others may be missing")
                all.value.unreadable.append(missing)
                self.report([missing], of: query.path)
            }
            return all
        }
    }

    /// Fetches all pages, or only the requested page if a limit or a page is given.
    func pageOrAll<Item>(
        _ query: ExistQuery<Item>, _ limit: Int?, _ page: Int?
    ) -> Promise<Decoded<ExistPage<Item>>> {
        limit == nil && page == nil ? walk(query) : fetch(query)
    }
}
