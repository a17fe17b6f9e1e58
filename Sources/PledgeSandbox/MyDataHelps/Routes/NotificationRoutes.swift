/// The routes for the participant's notifications.
struct NotificationRoutes: RouteGroup {
    let access: ParticipantAccess
    let records: Locked<ParticipantRecords>

    var routes: [AuthorizedRoute] {
        [AuthorizedRoute("GET /api/v1/delegated/notifications", for: access.participants) { try list($0) }]
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
