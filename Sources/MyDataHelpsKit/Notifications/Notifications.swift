import Pledge
import PledgeHTTP

extension ParticipantSession {
    /// Fetches a page of the notifications sent to the participant, newest first. `GET api/v1/delegated/notifications`
    public func queryNotifications(_ query: NotificationHistoryQuery) -> Promise<NotificationHistoryPage> {
        page(query)
    }
    public func queryNotifications(
        _ query: NotificationHistoryQuery
    ) async throws(MyDataHelpsError) -> NotificationHistoryPage { try await page(query) }
    public func queryNotifications(
        _ query: NotificationHistoryQuery, completion: @escaping Completion<NotificationHistoryPage>
    ) { page(query, completion: completion) }
}
