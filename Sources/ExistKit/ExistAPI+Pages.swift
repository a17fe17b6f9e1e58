import Foundation
import PledgeHTTP
import PledgeCoding

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension ExistAPI {
    /// One page of a list.
    ///
    /// - Parameter query: which list, which page; see ``ExistQuery``.
    /// - Rejects: with ``ExistError``.
    /// - Cancellation: ends the request.
    public func page<Item>(_ query: ExistQuery<Item>) -> Promise<PageReply<Item>> {
        sendPage(query.endpoint).map(on: nil) { (page: $0.value, response: $0.reply.urlResponse) }
    }

    /// Every item of a list, page by page, from the query's page on; each once, should the list shift meanwhile.
    ///
    /// - Parameter query: which list; see ``ExistQuery``.
    /// - Rejects: with ``ExistError``.
    /// - Cancellation: ends the request under way, and sends no other.
    public func all<Item>(_ query: ExistQuery<Item>) -> Promise<ItemsReply<Item>> {
        walk(query).map(on: nil) { (items: $0.value.results, response: $0.reply.urlResponse) }
    }

    /// The pages of a list one by one, each asked for when it is wanted.
    ///
    /// ```swift
    /// for try await page in existAPI.pages(.values(of: "weight")) { … }
    /// ```
    ///
    /// - Parameter query: which list; see ``ExistQuery``.
    public func pages<Item>(_ query: ExistQuery<Item>) -> PageSequence<ExistQuery<Item>> {
        PageSequence(query, failure: { ExistError($0) }) { self.sendPage($0.endpoint) }
    }

    /// Every page as one page, each item once.
    package func walk<Item>(_ query: ExistQuery<Item>) -> Promise<Answer<ExistPage<Item>>> {
        let answers = Locked<[Answer<ExistPage<Item>>]>([])
        return pages(query).forEach { answer in
            answers.withLock { $0.append(answer) }
            return true
        }.map(on: nil) {
            // At least one: without the first page there is an error.
            let answers = answers.withLock { $0 }
            var all = answers[answers.count - 1]
            guard answers.count > 1 else { return all }
            all.value.previous = answers[0].value.previous
            all.value.results = answers.flatMap(\.value.results)
            all.value.unreadable = answers.flatMap(\.value.unreadable)
            if let identity = query.identity {
                var seen: Set<ExactText> = []
                all.value.results.removeAll { !seen.insert(ExactText(identity($0))).inserted }
            }
            return all
        }
    }
}
