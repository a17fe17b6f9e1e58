import Foundation

/// The participant's notifications: a reminder every day, a text message every week, and a few that failed.
enum NotificationRecords {
    static func make(until now: Date) -> [ParticipantRecords.Item] {
        let today = Int((now.timeIntervalSince1970 / 86_400).rounded(.down))
        var items: [ParticipantRecords.Item] = []
        func add(
            _ day: Int, _ number: Int, _ identifier: String, _ type: String, _ status: String, _ content: ServerJSON
        ) {
            let sent = Date(timeIntervalSince1970: Double(day * 86_400 + 21_600 + number * 3_600) + 0.52)
            items.append(item(day * 10 + number, identifier, type, status, content, sent: sent))
        }
        for day in today - 119...today {
            let content: ServerJSON = ["title": "God morgon ☀️", "body": "Ny enkät väntar"]
            let fails = day == today - 9
            add(
                day, 1, "DailyReminder", "Push", fails ? "NoRegisteredMobileDevice" : "Succeeded", fails ? nil : content
            )
            if CalendarDay(number: day).weekday == 5 {
                let fails = day < today - 60
                add(
                    day, 2, "WeeklySms", "Sms", fails ? "MissingContactInfo" : "Succeeded",
                    fails ? nil : ["body": "Weekly check-in: https://example.org/s/1"])
            }
        }
        add(today - 119, 3, "Welcome", "Email", "Succeeded", ["subject": "Välkommen!"])
        return items.filter { $0.date <= now }
    }

    static func item(
        _ number: Int, _ identifier: String, _ type: String, _ status: String, _ content: ServerJSON, sent: Date
    ) -> ParticipantRecords.Item {
        ParticipantRecords.Item(
            date: sent,
            json: [
                "id": .string(SandboxID.make(.notification, number)), "identifier": .string(identifier),
                "sentDate": .string(ZonedTime.text(sent)), "statusCode": .string(status), "type": .string(type),
                "content": content,
            ])
    }
}
