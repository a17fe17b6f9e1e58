/// The routes for results computed from the data: averages, correlations, and insights.
struct ExistInsightRoutes: RouteGroup {
    let clock: ExistClock
    let access: ExistAccess
    let records: Locked<ExistRecords>
    let findings = ExistConclusions()

    var routes: [AuthorizedRoute] {
        [
            AuthorizedRoute("GET /api/2/insights/", for: access.readers) { try insights($0, by: $1) },
            AuthorizedRoute("GET /api/2/averages/", for: access.readers) { try averages($0, by: $1) },
            AuthorizedRoute("GET /api/2/correlations/", for: access.readers) { try correlations($0, by: $1) },
            AuthorizedRoute("GET /api/2/correlations/combo/", for: access.readers) { try combo($0, by: $1) },
        ]
    }

    private var ledger: ExistLedger {
        ExistLedger(records: records.current, today: clock.today)
    }

    private func insights(_ request: SandboxRequest, by token: ExistToken) throws -> SandboxResponse {
        let query = ExistQuery(request)
        let priority = try query.integer("priority")
        let days = try query.days()
        let now = clock.now()
        let insights = findings.insights(in: ledger).filter { insight in
            (priority == nil || priority == insight.span.rawValue)
                && days.contains(insight.targetDay ?? insight.day)
                && insight.subjects.allSatisfy(token.canRead)
                && clock.instant(insight.createdDay, secondOfDay: insight.createdSecond) <= now
        }
        return try query.page(of: insights) { $0.json(clock: clock) }
    }

    private func averages(_ request: SandboxRequest, by token: ExistToken) throws -> SandboxResponse {
        let query = ExistQuery(request)
        let days = try query.days()
        let ledger = ledger
        let attributes = ledger.records.attributes(query, readableBy: token).filter(\.isActive)
        let averages = ExistAverage.all(
            in: ledger, of: attributes, historical: query.isOn("include_historical"))
        return try query.page(of: averages.filter { days.contains($0.date) }) { $0.json(in: ledger) }
    }

    private func correlations(_ request: SandboxRequest, by token: ExistToken) throws -> SandboxResponse {
        let query = ExistQuery(request)
        let name = query.text("attribute")
        let correlations = readableCorrelations(by: token).filter { correlation in
            (name == nil || correlation.concerns(name ?? ""))
                && (!query.isOn("strong") || correlation.isStrong)
                && (!query.isOn("confident") || correlation.stars == 5)
        }
        return try query.page(of: correlations, json: \.json)
    }

    private func combo(_ request: SandboxRequest, by token: ExistToken) throws -> SandboxResponse {
        let query = ExistQuery(request)
        let (one, other) = (try query.required("attribute"), try query.required("attribute2"))
        let found = readableCorrelations(by: token).first { one != other && $0.concerns(one) && $0.concerns(other) }
        guard let found else { throw SandboxResponse.json(["detail": "Not found."], status: 404) }
        return .json(found.json)
    }

    /// Returns the correlations of which the token can read at least one attribute.
    private func readableCorrelations(by token: ExistToken) -> [ExistCorrelation] {
        findings.correlations(in: ledger).filter { token.canRead($0.outcome) || token.canRead($0.driver) }
    }
}

extension ExistCorrelation {
    fileprivate func concerns(_ name: String) -> Bool {
        outcome.name == name || driver.name == name
    }
}
