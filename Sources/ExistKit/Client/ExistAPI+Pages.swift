import Foundation
import PledgeHTTP

extension ExistAPI {
    /// Every page of a list, one after another, as one page.
    ///
    /// Goes by page number and never by the service's `next`, which leaves out the filters and may point to plain
    /// `http`. Stops at the last page, at an empty one, and where there are more pages than the count allows for.
    func allPages<Item>(
        _ endpoint: @escaping @Sendable (_ page: Int) -> Endpoint<ExistPage<Item>>
    ) -> Promise<Answer<ExistPage<Item>>> {
        sendPage(endpoint(1)).then(on: .pledge) { self.pages(after: $0, number: 1, endpoint) }
    }

    private func pages<Item>(
        after answer: Answer<ExistPage<Item>>, number: Int,
        _ endpoint: @escaping @Sendable (_ page: Int) -> Endpoint<ExistPage<Item>>
    ) -> Promise<Answer<ExistPage<Item>>> {
        let read = answer.value.results.count + answer.value.unreadable.count
        guard answer.value.next != nil, read < answer.value.count else {
            return .value(answer)
        }
        return sendPage(endpoint(number + 1)).then(on: .pledge) { next -> Promise<Answer<ExistPage<Item>>> in
            var all = next
            all.value.results = answer.value.results + next.value.results
            all.value.unreadable = answer.value.unreadable + next.value.unreadable
            guard !next.value.results.isEmpty || !next.value.unreadable.isEmpty else { return .value(all) }
            return self.pages(after: all, number: number + 1, endpoint)
        }
    }
}
