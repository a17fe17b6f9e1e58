/// The state of the service, and its routes, which declare their callers beside their responses.
struct ExistBackend: Sendable {
    let clock: ExistClock
    let tokens: TokenTable<ExistToken>
    let grants: ExistGrants
    let records: Protected<ExistRecords>
    let username: String
    let password: String
    let simpleToken: String
    /// Whether only this machine can reach the sandbox.
    let isLocal: Bool
    let latest = Protected<ExistLedger?>(nil)

    /// The current ledger, cached until the data or the day changes.
    var ledger: ExistLedger {
        let (records, today) = (records.current, clock.today)
        return latest.withLock { latest in
            if let latest, latest.today == today, latest.records.revision == records.revision { return latest }
            let ledger = ExistLedger(records: records, today: today)
            latest = ledger
            return ledger
        }
    }

    var routes: [ServerRoute] { tokenRoutes + readingRoutes + insightRoutes + ownershipRoutes + writingRoutes }
}
