import Foundation
import MyDataHelpsKit
import PledgeCoding

enum NotificationsCommand {
    static let days = ParticipantSpan.days(usually: "30")

    static let command = Command(
        name: "notifications", summary: "list the notifications MyDataHelps sent you, and their status", part: .reading,
        options: [days] + Listing.options + Access.options,
        examples: ["pledge notifications --days 7": "the notifications of the last week"]
    ) { arguments in
        let account = try Access(arguments).participant()
        let start = ParticipantSpan.start(ofLast: try arguments.value(days), arguments.context)
        try account.list(
            [account.client.pages(NotificationHistoryQuery(sentAfter: start))], by: { HashKey($0.id.value) },
            columns: [
                .init("at", "Sent"), .init("way", "By"), .init("state", "Status"), .init("text", "Text"),
                .init("name", nil),
            ], newestBy: 0, emptyMessage: "No notifications were sent in these days.", arguments
        ) { item in
            [
                .timestamp(item.sentDate), .text(MyDataHelpsWords.state(item.type.rawValue)),
                .text(MyDataHelpsWords.state(item.statusCode.rawValue)), .optional(text(item.content)),
                .text(item.identifier),
            ]
        }
        return account.warnings.exitCode
    }

    private static func text(_ content: NotificationContent) -> String? {
        switch content {
        case .sms(let content): return content?.body
        case .push(let content):
            let parts = [content?.title, content?.body].compactMap(\.self)
            return parts.isEmpty ? nil : parts.joined(separator: ": ")
        case .email(let content): return content?.subject
        }
    }
}
