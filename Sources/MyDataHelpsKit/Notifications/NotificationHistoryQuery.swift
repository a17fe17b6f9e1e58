import Foundation
import PledgeHTTP
import PledgeCoding

/// A question for the notifications the participant was sent, newest first.
public struct NotificationHistoryQuery: PagedByID, Equatable {
    /// Only those the project calls this.
    public var identifier: String?
    /// Only those sent after this moment.
    public var sentAfter: Date?
    /// Only those sent before this moment.
    public var sentBefore: Date?
    /// Only those that went this way.
    public var type: NotificationType?
    /// Only those this became of.
    public var statusCode: NotificationSendStatusCode?
    /// How many notifications are on a page at most, 1 to 100.
    public let limit: Int
    /// Which page; nil for the first.
    public var pageID: NotificationHistoryPage.PageID?

    /// A question. A limit beyond 1 to 100 is taken as the nearest of them.
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
}

/// A page of notifications.
public struct NotificationHistoryPage: ResultPageWithID, Equatable {
    /// What is on it.
    public var content: PageContent<NotificationHistoryModel>
    /// The notifications of this page, newest first.
    public var notifications: [NotificationHistoryModel] { content.items }
    /// Notifications of this page that went a way this version does not know, newest first.
    public var others: [OtherNotification] = []

    /// Makes a page by hand, for tests and previews.
    public init(content: PageContent<NotificationHistoryModel>) { self.content = content }
}

extension NotificationHistoryPage: Readable {
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        let all: PageContent<AnyNotification> = try source.page("notifications")
        content = PageContent(
            items: all.items.compactMap { if case .known(let known) = $0 { known } else { nil } },
            nextPageID: all.nextPageID, unreadable: all.unreadable)
        others = all.items.compactMap { if case .other(let other) = $0 { other } else { nil } }
    }
}
