import Foundation
import PledgeCoding

/// A notification that was sent to the participant, or should have been.
public struct NotificationHistoryModel: Sendable, Equatable, Identifiable {
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
    public struct SMSContent: Sendable, Equatable {
        /// The text of the message.
        public var body: String?

        /// Creates a text message for use in tests and previews.
        public init(body: String?) { self.body = body }
    }

    /// The content of a push notification.
    public struct PushContent: Sendable, Equatable {
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
    public struct EmailContent: Sendable, Equatable {
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
        content =
            switch type {
            case .sms: .sms(fields.optional(NotificationContent.SMSContent.self, "content"))
            case .push: .push(fields.optional(NotificationContent.PushContent.self, "content"))
            case .email: .email(fields.optional(NotificationContent.EmailContent.self, "content"))
            }
    }
}

extension NotificationContent.SMSContent: Readable {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        body = try? fields.text("body")
    }
}

extension NotificationContent.PushContent: Readable {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        title = try? fields.text("title")
        body = try? fields.text("body")
    }
}

extension NotificationContent.EmailContent: Readable {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        subject = try? fields.text("subject")
    }
}
