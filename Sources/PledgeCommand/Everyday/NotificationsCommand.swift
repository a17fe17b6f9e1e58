import Foundation
import MyDataHelpsKit

/// `pledge notifications`: lists the notifications sent to a participant.
enum NotificationsCommand {
    static let days = Option.number("--days", "N", 1...3_660, "how many days back, today included", usual: "30")

    static let command = Command(
        name: "notifications", summary: "what MyDataHelps sent, and what became of it", part: .reading,
        options: [days] + Listing.options + Access.options,
        examples: [.init("pledge notifications --days 7", "of the last week")], notes: [Listing.note]
    ) { arguments in
        let account = try Access(arguments).participant()
        let start = ParticipantSpan.start(ofLast: arguments[days] ?? 30)
        let sent = try account.client.allPages(NotificationHistoryQuery(sentAfter: start)).items().wait()
        try account.listing(
            columns: [
                .init("at", "Sent"), .init("way", "By"), .init("state", "What became of it"), .init("text", "Text"),
                .init("name", nil),
            ],
            rows: sent.map { item in
                [
                    .moment(item.sentDate), .text(Readable.state(item.type.rawValue)),
                    .text(Readable.state(item.statusCode.rawValue)), .optional(text(item.content)),
                    .text(item.identifier),
                ]
            }, silence: "Nothing was sent in these days."
        ).write(arguments)
        return 0
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
