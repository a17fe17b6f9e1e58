import PledgeCoding
import PledgeHTTP

/// https://developer.exist.io/reference/averages/
extension ExistAPI {
    /// Fetches the averages of the user's week. Wraps `GET averages/`.
    ///
    /// - Parameters:
    ///   - attribute: The name of an attribute; nil for all. For several, see ``ExistQuery``.
    ///   - includeHistorical: Whether to include earlier weeks, newest first. By default, only the latest is included.
    ///   - limit: The maximum number per page. Without `limit` and `page`, all pages are fetched.
    ///   - page: The number of the page, starting at 1.
    ///   - first: The first day to include.
    ///   - last: The last day to include.
    public func averages(
        for attribute: String? = nil, includeHistorical: Bool = false, limit: Int? = nil, page: Int? = nil,
        from first: ExistDay? = nil, through last: ExistDay? = nil
    ) -> Promise<AveragesOutput> {
        let query = ExistQuery<Average>.averages(
            names: attribute.map { [$0] }, includeHistorical: includeHistorical, from: first, through: last,
            limit: limit, page: page ?? 1)
        return pageOrAll(query, limit, page).map(on: nil) {
            (averages: $0.value.results, response: $0.response.urlResponse)
        }
    }
}

extension ExistQuery {
    /// A query for the averages of the user's week, of all attributes that the token may read, or of groups or attributes;
    /// the rest is as in ``ExistAPI/averages(for:includeHistorical:limit:page:from:through:)``. `GET averages/`
    public static func averages(
        groups: [String]? = nil, names: [String]? = nil, includeHistorical: Bool = false,
        from first: ExistDay? = nil, through last: ExistDay? = nil, limit: Int? = nil, page: Int = 1
    ) -> ExistQuery<Average> {
        ExistQuery<Average>(
            "averages/",
            [
                "groups": groups, "attributes": names, "include_historical": includeHistorical ? 1 : nil,
                "date_min": first?.description, "date_max": last?.description,
            ], limit: limit, page: page, identity: { HashKey($0.attribute, and: $0.day) })
    }
}
