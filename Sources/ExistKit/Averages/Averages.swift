import PledgeHTTP

/// https://developer.exist.io/reference/averages/
extension ExistQuery where Item == Average {
    /// The user's usual week. `GET averages/`
    ///
    /// - Parameters:
    ///   - groups: only of these groups; nil for all the token may read.
    ///   - names: only of these attributes; nil for all.
    ///   - includeHistorical: also those of earlier weeks, newest first.
    ///   - first: the first day.
    ///   - last: the last day.
    ///   - limit: how many on a page, at most 100.
    ///   - page: which page, from 1.
    public static func averages(
        groups: [String]? = nil, names: [String]? = nil, includeHistorical: Bool = false,
        from first: ExistDay? = nil, through last: ExistDay? = nil, limit: Int? = nil, page: Int = 1
    ) -> ExistQuery {
        ExistQuery(
            "averages/",
            [
                "groups": groups, "attributes": names, "include_historical": includeHistorical ? 1 : nil,
                "date_min": first?.description, "date_max": last?.description,
            ], limit: limit, page: page, identity: { "\($0.attribute) \($0.day)" })
    }
}

extension ExistAPI {
    /// The user's usual week. Wraps `GET averages/`.
    ///
    /// - Parameters:
    ///   - attribute: only of this attribute; nil for all. For some, see ``ExistQuery``.
    ///   - includeHistorical: also those of earlier weeks, newest first; only the latest unless given.
    ///   - limit: how many on a page; without `limit` and `pageIndex` all pages are read.
    ///   - pageIndex: which page, from 1.
    ///   - first: the first day.
    ///   - last: the last day.
    /// - Rejects: with ``ExistError``.
    /// - Cancellation: ends the request under way, and sends no other.
    public func averages(
        for attribute: String? = nil, includeHistorical: Bool = false, limit: Int? = nil, pageIndex: Int? = nil,
        from first: ExistDay? = nil, through last: ExistDay? = nil
    ) -> Promise<AveragesReply> {
        let query = ExistQuery.averages(
            names: attribute.map { [$0] }, includeHistorical: includeHistorical, from: first, through: last,
            limit: limit, page: pageIndex ?? 1)
        return pageOrAll(query, limit, pageIndex).map(on: nil) {
            (averages: $0.value.results, response: $0.reply.urlResponse)
        }
    }
}
