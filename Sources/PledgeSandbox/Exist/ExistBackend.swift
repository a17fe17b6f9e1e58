/// The state of the service, and its routes, each of which declares its callers.
struct ExistBackend: Sendable {
    let clock: ExistClock
    let tokens: TokenTable<ExistToken>
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
            readers("GET /api/2/accounts/profile/", profile),
            readers("GET /api/2/attributes/templates/", templates),
            readers("GET /api/2/attributes/") { try attributes($0, by: $1) },
            readers("GET /api/2/attributes/with-values/", withValues),
            readers("GET /api/2/attributes/values/", values),
            // A simple token has no client, so it cannot own anything.
            writers("GET /api/2/attributes/owned/") { try attributes($0, by: $1, ownedOnly: true) },
            writers("POST /api/2/attributes/acquire/", acquire),
            writers("POST /api/2/attributes/release/", release),
            writers("POST /api/2/attributes/create/", create),
            writers("POST /api/2/attributes/update/", update),
            writers("POST /api/2/attributes/increment/", increment),
            readers("GET /api/2/insights/", insights),
            readers("GET /api/2/averages/", averages),
            readers("GET /api/2/correlations/", correlations),
            readers("GET /api/2/correlations/combo/", combo),
        ]
    }
}
