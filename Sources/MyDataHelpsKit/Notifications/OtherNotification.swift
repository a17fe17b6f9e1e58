import Foundation
import PledgeCoding

/// A notification with an unknown channel, which the official SDK's ``NotificationType`` cannot represent.
public struct OtherNotification: Codable, Sendable, Equatable, Identifiable {
    /// The identifier of the notification.
    public var id: NotificationHistoryModel.ID
    /// The project's identifier for this kind of notification.
    public var identifier: String
    /// The date the notification was sent, or should have been sent.
    public var sentDate: Date
    /// The result of sending the notification.
    public var statusCode: NotificationSendStatusCode
    /// The service's name for the channel.
    public var type: String
    /// The content, as sent by the service.
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
        content = try fields.read(JSONValue.self, "content")
    }
}
