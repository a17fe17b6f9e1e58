import PledgeCoding
import PledgeHTTP

/// https://developer.exist.io/reference/correlations/
extension ExistAPI {
    /// Fetches the correlations of the last week. Wraps `GET correlations/`.
    ///
    /// - Parameters:
    ///   - attribute: The name of an attribute that must be one of the two; nil for all.
    ///   - strong: Whether to include only strong correlations.
    ///   - confident: Whether to include only correlations with five stars.
    ///   - limit: The maximum number per page, at most 100. Without `limit` and `page`, all pages are fetched.
    ///   - page: The number of the page, starting at 1.
    public func correlations(
        for attribute: String? = nil, strong: Bool = false, confident: Bool = false, limit: Int? = nil,
        page: Int? = nil
    ) -> Promise<CorrelationsOutput> {
        let query = ExistQuery<Correlation>.correlations(
            for: attribute, strong: strong, confident: confident, limit: limit, page: page ?? 1)
        return pageOrAll(query, limit, page).map(on: nil) {
            (correlations: $0.value.results, response: $0.response.urlResponse)
        }
    }

    /// Fetches the correlation, if there is one, of two attributes in any order. Wraps `GET correlations/combo/`.
    public func correlation(between attribute: String, and attribute2: String) -> Promise<CorrelationOutput> {
        send(.combo(attribute, attribute2)).map(on: nil) {
            (correlation: $0.value, response: $0.response.urlResponse)
        }
    }
}

extension ExistQuery {
    /// A query for the correlations of the last week, as in
    /// ``ExistAPI/correlations(for:strong:confident:limit:page:)``. `GET correlations/`
    public static func correlations(
        for attribute: String? = nil, strong: Bool = false, confident: Bool = false, limit: Int? = nil, page: Int = 1
    ) -> ExistQuery<Correlation> {
        ExistQuery<Correlation>(
            "correlations/",
            ["strong": strong ? 1 : nil, "confident": confident ? 1 : nil, "attribute": attribute], limit: limit,
            page: page,
            identity: { HashKey($0.attribute, $0.attribute2, $0.attributeCategory ?? "", and: $0.offset) })
    }
}

extension Endpoint where Response == Correlation? {
    /// Returns the endpoint of a correlation, whose response is nil if the service knows of none.
    static func combo(_ attribute: String, _ attribute2: String) -> Endpoint {
        var endpoint = Endpoint(
            .get, "correlations/combo/", query: ["attribute": attribute, "attribute2": attribute2]
        ) { response, json in
            guard response.status == 404 else { return try response.json(Correlation.self, by: json) }
            _ = try response.json([String: JSONValue].self, by: json)
            return nil
        }
        // A 404 with JSON means that there is no correlation; one with HTML, that the URL is wrong.
        endpoint.acceptsIfReadable = { $0.status == 404 }
        return endpoint
    }
}
