import PledgeCoding
import PledgeHTTP

/// https://developer.exist.io/reference/correlations/
extension ExistQuery where Item == Correlation {
    /// What goes together, as of the last week. `GET correlations/`
    ///
    /// - Parameters:
    ///   - attribute: only what this attribute goes together with; nil for all.
    ///   - strong: only strong ones.
    ///   - confident: only certain ones, of five stars.
    ///   - limit: how many on a page, at most 100.
    ///   - page: which page, from 1.
    public static func correlations(
        attribute: String? = nil, strong: Bool = false, confident: Bool = false, limit: Int? = nil, page: Int = 1
    ) -> ExistQuery {
        ExistQuery(
            "correlations/",
            ["strong": strong ? 1 : nil, "confident": confident ? 1 : nil, "attribute": attribute], limit: limit,
            page: page)
    }
}

extension Endpoint where Response == Correlation? {
    /// What two attributes have to do with each other; nil where the service knows of nothing.
    static func combo(_ attribute: String, _ attribute2: String) -> Endpoint {
        var endpoint = Endpoint(
            .get, "correlations/combo/", query: ["attribute": attribute, "attribute2": attribute2]
        ) { reply in
            guard reply.status == 404 else { return try reply.json(Correlation.self) }
            _ = try reply.json([String: JSONValue].self)
            return nil
        }
        // A 404 in JSON is the answer "none"; one in HTML is a wrong address.
        endpoint.acceptsIfReadable = { $0.status == 404 }
        return endpoint
    }
}

extension ExistAPI {
    /// What goes together, as of the last week. Wraps `GET correlations/`.
    ///
    /// - Parameters:
    ///   - attribute: only what this attribute goes together with; nil for all.
    ///   - strong: only strong ones.
    ///   - confident: only certain ones, of five stars.
    ///   - limit: how many on a page, at most 100; without `limit` and `pageIndex` all pages are read.
    ///   - pageIndex: which page, from 1.
    /// - Rejects: with ``ExistError``.
    /// - Cancellation: ends the request under way, and sends no other.
    public func correlations(
        for attribute: String? = nil, strong: Bool = false, confident: Bool = false, limit: Int? = nil,
        pageIndex: Int? = nil
    ) -> Promise<CorrelationsReply> {
        let query = ExistQuery.correlations(
            attribute: attribute, strong: strong, confident: confident, limit: limit, page: pageIndex ?? 1)
        return pageOrAll(query, limit, pageIndex).map(on: nil) {
            (correlations: $0.value.results, response: $0.reply.urlResponse)
        }
    }

    /// What two attributes have to do with each other. Wraps `GET correlations/combo/`.
    ///
    /// - Parameters:
    ///   - attribute: one attribute's name.
    ///   - attribute2: the other's; the order does not matter.
    /// - Returns: nil where the service knows of nothing.
    /// - Rejects: with ``ExistError``.
    /// - Cancellation: ends the request.
    public func correlation(between attribute: String, and attribute2: String) -> Promise<CorrelationReply> {
        send(.combo(attribute, attribute2)).map(on: nil) {
            (correlation: $0.value, response: $0.reply.urlResponse)
        }
    }
}
