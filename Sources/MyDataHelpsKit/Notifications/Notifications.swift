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

extension NotificationHistoryQuery {
    /// The request: `GET api/v1/delegated/notifications`.
    public var endpoint: Endpoint<NotificationHistoryPage> {
        list(
            "api/v1/delegated/notifications",
            [
                "identifier": identifier,
                "sentAfter": sentAfter?.queryText,
                "sentBefore": sentBefore?.queryText,
                "type": type?.rawValue,
                "statusCode": statusCode?.rawValue,
            ])
    }
}
