import Foundation
import Pledge
import PledgeCoding
import PledgeHTTP

extension ParticipantSession {
    /// Fetches a page of the notifications that were sent to the participant, newest first.
    /// `GET api/v1/delegated/notifications`
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

/// A query for the notifications that were sent to the participant, newest first.
public struct NotificationHistoryQuery: PagedByID, Equatable {
    /// The project's identifier for a kind of notification; nil for all kinds.
    public var identifier: String?
    /// The lower limit for the date of sending, exclusive; nil for no limit.
    public var sentAfter: Date?
    /// The upper limit for the date of sending, exclusive; nil for no limit.
    public var sentBefore: Date?
    /// The channel of the notifications; nil for all channels.
    public var type: NotificationType?
    /// The result of sending the notifications; nil for all results.
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
                "type": type,
                "statusCode": statusCode,
            ])
    }
}

/// A page of notifications.
public struct NotificationHistoryPage: ResultPageWithID, Equatable {
    public var content: PageContent<NotificationHistoryModel>
    /// The notifications of this page, newest first.
    public var notifications: [NotificationHistoryModel] { content.items }
    /// The notifications of this page with a channel that this version does not know, newest first.
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

    /// Encodes the notifications and the identifier of the next page. Notifications with an unknown channel come last.
    public func encode(to encoder: any Encoder) throws {
        let all = items.map(AnyNotification.known) + others.map(AnyNotification.other)
        try PageContent(items: all, nextPageID: content.nextPageID, unreadable: [])
            .encode(as: "notifications", to: encoder)
    }
}

/// A notification that was sent, or should have been sent, to the participant.
public struct NotificationHistoryModel: Codable, Sendable, Equatable, Identifiable {
    /// A unique identifier for a notification.
    public typealias ID = ScopedIdentifier<NotificationHistoryModel, String>

    /// The identifier of the notification.
    public var id: ID
    /// The project's identifier for this kind of notification.
    public var identifier: String
    /// The date on which the notification was sent, or should have been sent.
    public var sentDate: Date
    /// The result of sending the notification.
    public var statusCode: NotificationSendStatusCode
    /// The content of the notification. Its fields depend on the channel.
    public var content: NotificationContent
    /// The channel through which the notification was sent.
    public var type: NotificationType { content.type }
    /// The version of the notification's content.
    public var contentVersion: Int?
    /// The recipients of the notification, as the service sent them.
    public var recipients: JSONValue?
    /// The schedule that the notification belongs to, as the service sent it.
    public var schedule: JSONValue?

    /// Creates a notification for use in tests and previews.
    public init(
        id: ID, identifier: String, sentDate: Date, statusCode: NotificationSendStatusCode = .succeeded,
        content: NotificationContent
    ) {
        self.id = id
        self.identifier = identifier
        self.sentDate = sentDate
        self.statusCode = statusCode
        self.content = content
    }
}

/// A channel through which notifications are sent.
public enum NotificationType: String, Codable, Sendable, CaseIterable, QueryValue {
    /// A text message to the participant's phone.
    case sms = "Sms"
    /// A push notification on a device.
    case push = "Push"
    /// An email to the participant.
    case email = "Email"
}

/// The result of sending a notification. Letter case does not matter when two results are compared, because the
/// vendor's own documents disagree on it.
public struct NotificationSendStatusCode: ServiceWord {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The notification was sent, but not necessarily delivered.
    public static let succeeded = NotificationSendStatusCode(rawValue: "Succeeded")
    /// The participant has unsubscribed from such notifications.
    public static let unsubscribed = NotificationSendStatusCode(rawValue: "Unsubscribed")
    /// The service has no email address or phone number of the participant.
    public static let missingContactInfo = NotificationSendStatusCode(rawValue: "MissingContactInfo")
    /// The participant has no device registered for notifications.
    public static let noRegisteredMobileDevice = NotificationSendStatusCode(rawValue: "NoRegisteredMobileDevice")
    /// The participant has no user account.
    public static let noAssociatedUser = NotificationSendStatusCode(rawValue: "NoAssociatedUser")
    /// The service failed to send the notification.
    public static let serviceError = NotificationSendStatusCode(rawValue: "ServiceError")
    /// The notification was due after the last date on which such notifications are sent.
    public static let pastNotificationEndDate = NotificationSendStatusCode(rawValue: "PastNotificationEndDate")

    /// Returns whether two results are equal, ignoring letter case.
    public static func == (left: Self, right: Self) -> Bool {
        left.rawValue.lowercased() == right.rawValue.lowercased()
    }

    /// Hashes the result, ignoring letter case, so that equal results have equal hashes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(rawValue.lowercased())
    }
}

/// The content of a notification. The associated value is nil if nothing was sent.
public enum NotificationContent: Sendable, Equatable {
    /// A text message to the participant's phone.
    case sms(SMSContent?)
    /// A push notification on a device.
    case push(PushContent?)
    /// An email, whose text the service does not disclose.
    case email(EmailContent?)

    /// The channel through which the notification was sent.
    public var type: NotificationType {
        switch self {
        case .sms: .sms
        case .push: .push
        case .email: .email
        }
    }

    /// The content of a text message.
    public struct SMSContent: Codable, Sendable, Equatable {
        /// The text of the message.
        public var body: String?

        /// Creates a text message for use in tests and previews.
        public init(body: String?) { self.body = body }
    }

    /// The content of a push notification.
    public struct PushContent: Codable, Sendable, Equatable {
        /// The title of the notification.
        public var title: String?
        /// The text of the notification, below its title.
        public var body: String?

        /// Creates a push notification for use in tests and previews.
        public init(title: String?, body: String?) {
            self.title = title
            self.body = body
        }
    }

    /// The content of an email.
    public struct EmailContent: Codable, Sendable, Equatable {
        /// The subject line of the email.
        public var subject: String?

        /// Creates an email for use in tests and previews.
        public init(subject: String?) { self.subject = subject }
    }
}

extension NotificationHistoryModel: Readable {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        id = ID(try fields.required("id").lenientText())
        identifier = try fields.required("identifier").lenientText()
        sentDate = try fields.date("sentDate")
        statusCode = try fields.required("statusCode").word()
        let type = try fields.required("type").parsed("it is not Sms, Push or Email") {
            NotificationType(rawValue: String(decoding: $0, as: UTF8.self))
        }
        let texts = fields.optional("content") { (value) throws(TapeFailure) in
            var fields = try value.fields()
            return (
                title: fields.text("title"), body: fields.text("body"), subject: fields.text("subject")
            )
        }
        content =
            switch type {
            case .sms: .sms(texts.map { .init(body: $0.body) })
            case .push: .push(texts.map { .init(title: $0.title, body: $0.body) })
            case .email: .email(texts.map { .init(subject: $0.subject) })
            }
        contentVersion = fields.int("contentVersion")
        recipients = fields.read(JSONValue.self, "recipients")
        schedule = fields.read(JSONValue.self, "schedule")
    }

    private enum CodingKeys: CodingKey {
        case id, identifier, sentDate, statusCode, type, content, contentVersion, recipients, schedule
    }

    /// Encodes the channel in a field beside the content, which is how the service sends it.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(id, forKey: .id)
        try fields.encode(identifier, forKey: .identifier)
        try fields.encode(sentDate, forKey: .sentDate)
        try fields.encode(statusCode, forKey: .statusCode)
        try fields.encode(type, forKey: .type)
        try fields.encodeIfPresent(contentVersion, forKey: .contentVersion)
        try fields.encodeIfPresent(recipients, forKey: .recipients)
        try fields.encodeIfPresent(schedule, forKey: .schedule)
        switch content {
        case .sms(let content): try fields.encodeIfPresent(content, forKey: .content)
        case .push(let content): try fields.encodeIfPresent(content, forKey: .content)
        case .email(let content): try fields.encodeIfPresent(content, forKey: .content)
        }
    }
}

/// A notification with a channel that this version does not know. The official SDK's type ``NotificationType`` can't
/// represent such a channel.
public struct OtherNotification: Codable, Sendable, Equatable, Identifiable {
    /// The identifier of the notification.
    public var id: NotificationHistoryModel.ID
    /// The project's identifier for this kind of notification.
    public var identifier: String
    /// The date on which the notification was sent, or should have been sent.
    public var sentDate: Date
    /// The result of sending the notification.
    public var statusCode: NotificationSendStatusCode
    /// The service's name for the channel.
    public var type: String
    /// The content of the notification, as the service sent it.
    public var content: JSONValue?
}

enum AnyNotification: Encodable, Sendable {
    case known(NotificationHistoryModel)
    case other(OtherNotification)

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .known(let known): try known.encode(to: encoder)
        case .other(let other): try other.encode(to: encoder)
        }
    }
}

extension AnyNotification: Readable {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        let isKnown = NotificationType(rawValue: try fields.required("type").lenientText()) != nil
        self =
            isKnown
            ? .known(try NotificationHistoryModel(reading: source)) : .other(try OtherNotification(reading: source))
    }
}

extension OtherNotification: Readable {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        id = NotificationHistoryModel.ID(try fields.required("id").lenientText())
        identifier = try fields.required("identifier").lenientText()
        sentDate = try fields.date("sentDate")
        statusCode = try fields.required("statusCode").word()
        type = try fields.required("type").lenientText()
        content = fields.read(JSONValue.self, "content")
    }
}
