import Pledge
import PledgeHTTP
import PledgeCoding

extension ParticipantSession {
    /// Every page of an answer, each asked for when it is wanted.
    ///
    /// ```swift
    /// for try await page in session.allPages(SurveyTaskQuery(statuses: [.incomplete])) {
    ///     for task in page { print(task.surveyDisplayName) }
    /// }
    ///
    /// session.allPages(query).items(atMost: 1000).done { points in … }
    /// ```
    ///
    /// Nothing is sent before the first page is asked for. Every page costs one of the hourly requests. Both throw
    /// ``MyDataHelpsError``.
    ///
    /// - Parameter query: what to look for, and where to begin.
    public func allPages<Query: PagedQuery>(_ query: Query) -> PageSequence<Query> {
        PageSequence(query, failure: { MyDataHelpsError($0) }) { self.answer(page: $0) }
    }

    /// Sends for a page, and tells the client what of it could not be read.
    func send<Query: PagedQuery>(page query: Query) -> Promise<Query.Page> {
        answer(page: query).map(on: nil) { $0.value }
    }

    private func answer<Query: PagedQuery>(page query: Query) -> Promise<Answer<Query.Page>> {
        let endpoint = query.endpoint
        return answer(endpoint).get(on: nil) { answer in
            let list = endpoint.path.split(separator: "/").last.map(String.init) ?? ""
            self.client.note(answer.value.unreadable, of: list)
        }
    }
}
