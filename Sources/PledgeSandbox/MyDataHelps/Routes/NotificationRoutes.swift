/// The routes for the participant's notifications.
struct NotificationRoutes: RouteGroup {
    let access: ParticipantAccess
    let records: Locked<ParticipantRecords>

    var routes: [AuthorizedRoute] {
        [
            access.list("notifications", at: "notifications") { query in
                let sent = try query.time("sentAfter", "sentBefore")
                return records.current.notifications.filter { item in
                    ["identifier", "type", "statusCode"].allSatisfy { name in
                        query.text(name).map { $0.lowercased() == item.text(name)?.lowercased() } ?? true
                    } && sent?.contains(item.moment("sentDate")) ?? true
                }
            }
        ]
    }
}
