/// The state of the service, and its routes, each of which declares its callers.
struct ExistBackend: Sendable {
    let clock: ExistClock
    let access: ExistAccess
    let grants: ExistGrants
    let records: Protected<ExistRecords>
    let username: String
    let password: String
    let simpleToken: String
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

    var routes: [ServerRoute] {
        [
            ServerRoute("POST /api/2/auth/simple-token/", respond: giveSimpleToken),
            // The documentation contains both versions of this path.
            ServerRoute("POST /api/1/auth/simple-token/", respond: giveSimpleToken),
            ServerRoute("GET /oauth2/authorize", respond: askForConsent),
            ServerRoute("POST /oauth2/access_token", respond: giveTokens),
            ServerRoute("POST /oauth2/access_token/", respond: giveTokens),
            access.readers("GET /api/2/accounts/profile/", profile),
            access.readers("GET /api/2/attributes/templates/", templates),
            access.readers("GET /api/2/attributes/", attributes),
            access.readers("GET /api/2/attributes/with-values/", withValues),
            access.readers("GET /api/2/attributes/values/", values),
            // A simple token has no client, so it cannot own anything.
            access.writers("GET /api/2/attributes/owned/", owned),
            access.writers("POST /api/2/attributes/acquire/", acquire),
            access.writers("POST /api/2/attributes/release/", release),
            access.writers("POST /api/2/attributes/create/", create),
            access.writers("POST /api/2/attributes/update/", update),
            access.writers("POST /api/2/attributes/increment/", increment),
            access.readers("GET /api/2/insights/", insights),
            access.readers("GET /api/2/averages/", averages),
            access.readers("GET /api/2/correlations/", correlations),
            access.readers("GET /api/2/correlations/combo/", combo),
        ]
    }
}
