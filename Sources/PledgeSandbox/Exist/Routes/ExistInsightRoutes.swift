extension ExistBackend {
    var insightRoutes: [ServerRoute] {
        [
            readers("GET /api/2/insights/", insights),
            readers("GET /api/2/averages/", averages),
            readers("GET /api/2/correlations/", correlations),
            readers("GET /api/2/correlations/combo/", combo),
        ]
    }

    func insights(_ request: ServerRequest, by token: ExistToken) throws -> ServerResponse {
        let query = ExistParameters(request)
        let priority = try query.integer("priority")
        let days = try query.days()
        let now = clock.now()
        let insights = ledger.insights.filter { insight in
            (priority == nil || priority == insight.span.rawValue)
                && days.contains(insight.targetDay ?? insight.day)
                && insight.subjects.allSatisfy(token.canRead)
                && insight.created(clock) <= now
        }
        return try query.page(of: insights) { $0.json(clock: clock) }
    }

    func averages(_ request: ServerRequest, by token: ExistToken) throws -> ServerResponse {
        let query = ExistParameters(request)
        let days = try query.days()
        let ledger = ledger
        let attributes = ledger.records.attributes(query, where: token.canRead).filter(\.isActive)
        let averages = ExistAverage.all(
            in: ledger, of: attributes, historical: query.isOn("include_historical"))
        return try query.page(of: averages.filter { days.contains($0.date) }, json: \.json)
    }

    func correlations(_ request: ServerRequest, by token: ExistToken) throws -> ServerResponse {
        let query = ExistParameters(request)
        let name = query.text("attribute")
        let correlations = readableCorrelations(by: token).filter { correlation in
            (name == nil || correlation.concerns(name ?? ""))
                && (!query.isOn("strong") || correlation.isStrong)
                && (!query.isOn("confident") || correlation.stars == 5)
        }
        return try query.page(of: correlations, json: \.json)
    }

    func combo(_ request: ServerRequest, by token: ExistToken) throws -> ServerResponse {
        let query = ExistParameters(request)
        let (one, other) = (try query.required("attribute"), try query.required("attribute2"))
        let found = readableCorrelations(by: token).first { one != other && $0.concerns(one) && $0.concerns(other) }
        guard let found else { throw ServerResponse.detail("Not found.", status: 404) }
        return .json(found.json)
    }

    /// Returns the correlations with an attribute that the token can read.
    private func readableCorrelations(by token: ExistToken) -> [ExistCorrelation] {
        ledger.correlations.filter { token.canRead($0.outcome) || token.canRead($0.driver) }
    }
}

extension ExistCorrelation {
    fileprivate func concerns(_ name: String) -> Bool {
        outcome.name == name || driver.name == name
    }
}
