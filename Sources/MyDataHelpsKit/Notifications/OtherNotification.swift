import Foundation
import PledgeCoding

/// A notification that went a way this version does not know: the official SDK's ``NotificationType`` has no room for it.
public struct OtherNotification: Sendable, Equatable, Identifiable {
    /// Tells the notification from every other.
    public var id: NotificationHistoryModel.ID
    /// What the project calls this kind of notification.
    public var identifier: String
    /// When it was sent, or should have been.
    public var sentDate: Date
    /// What became of it.
    public var statusCode: NotificationSendStatusCode
    /// The service's word for the way it went.
    public var type: String
    /// What it said, as the service has it.
    public var content: JSONValue?
}

/// A notification, whatever way it went.
enum AnyNotification: Sendable {
    case known(NotificationHistoryModel)
    case other(OtherNotification)
}

extension AnyNotification: Readable {
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        var fields = try source.fields()
        let type = try fields.required("type").repeatedText()
        if NotificationType(rawValue: type) != nil {
            self = .known(try NotificationHistoryModel(reading: source))
            return
        }
        self = .other(
            OtherNotification(
                id: NotificationHistoryModel.ID(try fields.required("id").text()),
                identifier: try fields.required("identifier").text(), sentDate: try fields.date("sentDate"),
                statusCode: try fields.required("statusCode").word(), type: type,
                content: try fields.read(JSONValue.self, "content")))
    }
}
