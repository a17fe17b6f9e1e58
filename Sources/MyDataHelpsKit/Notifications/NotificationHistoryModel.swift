import Foundation
import PledgeCoding

/// A notification the participant was sent, or should have been.
public struct NotificationHistoryModel: Sendable, Equatable, Identifiable {
    /// Tells a notification from every other.
    public typealias ID = ScopedIdentifier<NotificationHistoryModel, String>

    /// Tells the notification from every other.
    public var id: ID
    /// What the project calls this kind of notification.
    public var identifier: String
    /// When it was sent, or should have been.
    public var sentDate: Date
    /// What became of it.
    public var statusCode: NotificationSendStatusCode
    /// By which way it went, and what it said.
    public var content: NotificationContent
    /// By which way it went.
    public var type: NotificationType { content.type }

    /// Makes a notification by hand, for tests and previews.
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

/// By which way a notification goes.
public enum NotificationType: String, Codable, Sendable, CaseIterable {
    /// A text message to the participant's phone.
    case sms = "Sms"
    /// A notification on a device.
    case push = "Push"
    /// An e-mail to the participant.
    case email = "Email"
}

/// What became of a notification. Words that differ only in capitals are equal: the vendor's own documents disagree.
public struct NotificationSendStatusCode: ServiceWord {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// It was sent, which does not mean that it arrived.
    public static let succeeded = NotificationSendStatusCode(rawValue: "Succeeded")
    /// The participant does not want any.
    public static let unsubscribed = NotificationSendStatusCode(rawValue: "Unsubscribed")
    /// The service has no address or number.
    public static let missingContactInfo = NotificationSendStatusCode(rawValue: "MissingContactInfo")
    /// The participant has no device that could show it.
    public static let noRegisteredMobileDevice = NotificationSendStatusCode(rawValue: "NoRegisteredMobileDevice")
    /// The participant has no account.
    public static let noAssociatedUser = NotificationSendStatusCode(rawValue: "NoAssociatedUser")
    /// The service itself failed to send it.
    public static let serviceError = NotificationSendStatusCode(rawValue: "ServiceError")
    /// It came after the last date for such notifications.
    public static let pastNotificationEndDate = NotificationSendStatusCode(rawValue: "PastNotificationEndDate")

    /// Whether the words are the same, whatever their capitals.
    public static func == (left: Self, right: Self) -> Bool {
        left.rawValue.lowercased() == right.rawValue.lowercased()
    }

    /// In keeping with equality.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(rawValue.lowercased())
    }
}

/// What a notification said; nil where nothing was sent.
public enum NotificationContent: Sendable, Equatable {
    /// A text message to the participant's phone.
    case sms(SMSContent?)
    /// A notification on a device.
    case push(PushContent?)
    /// An e-mail, whose text the service keeps to itself.
    case email(EmailContent?)

    /// By which way it went.
    public var type: NotificationType {
        switch self {
        case .sms: .sms
        case .push: .push
        case .email: .email
        }
    }

    /// What a text message to the participant said.
    public struct SMSContent: Sendable, Equatable {
        /// What the text message said.
        public var body: String?

        /// Makes a message by hand, for tests and previews.
        public init(body: String?) { self.body = body }
    }

    /// A notification on a device.
    public struct PushContent: Sendable, Equatable {
        /// The heading of the notification.
        public var title: String?
        /// What the notification said, below its heading.
        public var body: String?

        /// Makes a notification by hand, for tests and previews.
        public init(title: String?, body: String?) {
            self.title = title
            self.body = body
        }
    }

    /// What an e-mail to the participant said.
    public struct EmailContent: Sendable, Equatable {
        /// The subject line of the e-mail.
        public var subject: String?

        /// Makes an e-mail by hand, for tests and previews.
        public init(subject: String?) { self.subject = subject }
    }
}

extension NotificationHistoryModel: Readable {
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        var fields = try source.fields()
        id = ID(try fields.required("id").text())
        identifier = try fields.required("identifier").text()
        sentDate = try fields.date("sentDate")
        statusCode = try fields.required("statusCode").word()
        let type = try fields.required("type").parsed("it is not Sms, Push or Email") {
            NotificationType(rawValue: String(decoding: $0, as: UTF8.self))
        }
        content =
            switch type {
            case .sms: .sms(try fields.read(NotificationContent.SMSContent.self, "content"))
            case .push: .push(try fields.read(NotificationContent.PushContent.self, "content"))
            case .email: .email(try fields.read(NotificationContent.EmailContent.self, "content"))
            }
    }
}

extension NotificationContent.SMSContent: Readable {
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        var fields = try source.fields()
        body = try fields.text("body")
    }
}

extension NotificationContent.PushContent: Readable {
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        var fields = try source.fields()
        title = try fields.text("title")
        body = try fields.text("body")
    }
}

extension NotificationContent.EmailContent: Readable {
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        var fields = try source.fields()
        subject = try fields.text("subject")
    }
}
