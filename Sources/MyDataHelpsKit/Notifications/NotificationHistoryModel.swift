import Foundation
import PledgeCoding

/// A notification that was sent to the participant, or should have been.
public struct NotificationHistoryModel: Codable, Sendable, Equatable, Identifiable {
    /// A unique identifier for a notification.
    public typealias ID = ScopedIdentifier<NotificationHistoryModel, String>

    /// The identifier of the notification.
    public var id: ID
    /// The project's identifier for this kind of notification.
    public var identifier: String
    /// The date the notification was sent, or should have been sent.
    public var sentDate: Date
    /// The result of sending the notification.
    public var statusCode: NotificationSendStatusCode
    /// The content of the notification, by channel.
    public var content: NotificationContent
    /// The channel through which the notification was sent.
    public var type: NotificationType { content.type }
    /// The version of the notification's content.
    public var contentVersion: Int?
    /// The recipients of the notification, as sent by the service.
    public var recipients: JSONValue?
    /// The schedule by which the notification was sent, as sent by the service.
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
public enum NotificationType: String, Codable, Sendable, CaseIterable {
    /// A text message to the participant's phone.
    case sms = "Sms"
    /// A push notification on a device.
    case push = "Push"
    /// An email to the participant.
    case email = "Email"
}

/// The result of sending a notification. The comparison ignores case, because the vendor's own documents disagree.
public struct NotificationSendStatusCode: ServiceWord {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The notification was sent, but not necessarily delivered.
    public static let succeeded = NotificationSendStatusCode(rawValue: "Succeeded")
    /// The participant has unsubscribed from such notifications.
    public static let unsubscribed = NotificationSendStatusCode(rawValue: "Unsubscribed")
    /// The service has no address or phone number.
    public static let missingContactInfo = NotificationSendStatusCode(rawValue: "MissingContactInfo")
    /// The participant has no device registered for notifications.
    public static let noRegisteredMobileDevice = NotificationSendStatusCode(rawValue: "NoRegisteredMobileDevice")
    /// The participant has no user account.
    public static let noAssociatedUser = NotificationSendStatusCode(rawValue: "NoAssociatedUser")
    /// The service failed to send the notification.
    public static let serviceError = NotificationSendStatusCode(rawValue: "ServiceError")
    /// The notification was due after the last date for such notifications.
    public static let pastNotificationEndDate = NotificationSendStatusCode(rawValue: "PastNotificationEndDate")

    /// Returns whether two values are equal, ignoring case.
    public static func == (left: Self, right: Self) -> Bool {
        left.rawValue.lowercased() == right.rawValue.lowercased()
    }

    /// Hashes the value consistently with its equality.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(rawValue.lowercased())
    }
}

/// The content of a notification; nil if nothing was sent.
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
    @usableFromInline package init<Source>(reading source: Source) throws(Source.Failure) where Source: ValueSource {
        var fields = try source.fields()
        id = ID(try fields.required("id").lenientText())
        identifier = try fields.required("identifier").lenientText()
        sentDate = try fields.date("sentDate")
        statusCode = try fields.required("statusCode").word()
        let type = try fields.required("type").parsed("it is not Sms, Push or Email") {
            NotificationType(rawValue: String(decoding: $0, as: UTF8.self))
        }
        let texts = fields.optional("content") { (value) throws(Source.Failure) in
            var fields = try value.fields()
            return (
                title: try? fields.text("title"), body: try? fields.text("body"), subject: try? fields.text("subject")
            )
        }
        content =
            switch type {
            case .sms: .sms(texts.map { .init(body: $0.body) })
            case .push: .push(texts.map { .init(title: $0.title, body: $0.body) })
            case .email: .email(texts.map { .init(subject: $0.subject) })
            }
        contentVersion = try? fields.int("contentVersion")
        recipients = try? fields.read(JSONValue.self, "recipients")
        schedule = try? fields.read(JSONValue.self, "schedule")
    }

    private enum CodingKeys: CodingKey {
        case id, identifier, sentDate, statusCode, type, content, contentVersion, recipients, schedule
    }

    /// Encodes the channel beside the content, as the service does.
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
