/// What the participant was sent.
struct NotificationRoutes: Sendable {
    let authorized: AuthorizedRoutes
    let records: Locked<ParticipantRecords>

    var routes: [SandboxRoute] {
        [authorized.route("GET /api/v1/delegated/notifications") { try list($0) }]
    }

    private func list(_ request: SandboxRequest) throws -> SandboxResponse {
        let query = ParticipantQuery(request)
        let items = try records.current.notifications.filter { item in
            try ["identifier", "type", "statusCode"].allSatisfy { name in
                query.text(name).map { $0.lowercased() == item.text(name)?.lowercased() } ?? true
            } && query.isBetween(item.moment("sentDate"), "sentAfter", "sentBefore")
        }
        return try query.page("notifications", of: items)
    }
}
