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

    /// The same question about the page that follows; nil if that was the last.
    public func page(after page: NotificationHistoryPage) -> NotificationHistoryQuery? { next(after: page) }
}

/// A page of notifications.
public struct NotificationHistoryPage: ResultPageWithID, Equatable {
    /// What it is a page of.
    public typealias Element = NotificationHistoryModel
    /// Identifies a page.
    public typealias PageID = ScopedIdentifier<NotificationHistoryPage, String>

    /// The notifications of this page, newest first.
    public var notifications: [NotificationHistoryModel]
    /// Where the next page begins; nil on the last.
    public var nextPageID: PageID?
    /// Notifications of this page that could not be read.
    public var unreadable: [UnreadableItem]

    /// The notifications of this page.
    public var items: [NotificationHistoryModel] { notifications }

    /// A page, as for tests and previews.
    public init(
        notifications: [NotificationHistoryModel], nextPageID: PageID? = nil, unreadable: [UnreadableItem] = []
    ) {
        self.notifications = notifications
        self.nextPageID = nextPageID
        self.unreadable = unreadable
    }
}

extension NotificationHistoryPage: Readable {
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        (notifications, nextPageID, unreadable) = try source.page(
            Self.self, of: NotificationHistoryModel.self, "notifications")
    }
}
