import Foundation
import PledgeHTTP
import PledgeCoding

/// A query for the notifications sent to the participant, newest first.
public struct NotificationHistoryQuery: PagedByID, Equatable {
    /// The project's identifier of the notifications; nil for all.
    public var identifier: String?
    /// The date after which the notifications were sent, exclusive.
    public var sentAfter: Date?
    /// The date before which the notifications were sent, exclusive.
    public var sentBefore: Date?
    /// The channel of the notifications; nil for all.
    public var type: NotificationType?
    /// The result of sending the notifications; nil for all.
    public var statusCode: NotificationSendStatusCode?
    public let limit: Int
    public var pageID: NotificationHistoryPage.PageID?

    /// Creates a query. A limit outside 1 to 100 is clamped to that range.
    public init(
        identifier: String? = nil, sentAfter: Date? = nil, sentBefore: Date? = nil, type: NotificationType? = nil,
        statusCode: NotificationSendStatusCode? = nil, limit: Int = defaultLimit,
        pageID: NotificationHistoryPage.PageID? = nil
    ) {
        self.identifier = identifier
        self.sentAfter = sentAfter
        self.sentBefore = sentBefore
        self.type = type
        self.statusCode = statusCode
        self.limit = Self.clamp(limit)
        self.pageID = pageID
    }

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

/// A page of notifications.
public struct NotificationHistoryPage: ResultPageWithID, Equatable {
    public var content: PageContent<NotificationHistoryModel>
    /// The notifications of this page, newest first.
    public var notifications: [NotificationHistoryModel] { content.items }
    /// The notifications of this page whose channel this version does not know, newest first.
    public var others: [OtherNotification] = []

    public init(content: PageContent<NotificationHistoryModel>) { self.content = content }
}

extension NotificationHistoryPage: Readable {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        let all: PageContent<AnyNotification> = try source.page("notifications")
        content = PageContent(
            items: all.items.compactMap { if case .known(let known) = $0 { known } else { nil } },
            nextPageID: all.nextPageID, unreadable: all.unreadable)
        others = all.items.compactMap { if case .other(let other) = $0 { other } else { nil } }
    }

    /// Encodes the notifications, those of other channels after the rest, and the identifier of the next page.
    public func encode(to encoder: any Encoder) throws {
        let all = items.map(AnyNotification.known) + others.map(AnyNotification.other)
        try PageContent(items: all, nextPageID: content.nextPageID, unreadable: [])
            .encode(as: "notifications", to: encoder)
    }
}
