import PledgeCoding
import PledgeHTTP

/// https://developer.exist.io/reference/insights/
extension ExistAPI {
    /// Fetches a page of insights. Wraps `GET insights/`.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of insights per page, at most 100. The default is 100.
    ///   - page: The number of the page, starting at 1.
    ///   - first: The first day to include.
    ///   - last: The last day to include.
    public func insights(
        limit: Int? = nil, page: Int? = nil, from first: ExistDay? = nil, through last: ExistDay? = nil
    ) -> Promise<InsightsOutput> {
        self.page(.insights(from: first, through: last, limit: limit, page: page ?? 1))
            .map(on: nil) { (insights: $0.page, response: $0.response) }
    }

    /// Fetches all insights of a number of days, ending with the current one in the client's time zone.
    /// Wraps `GET insights/`, page by page.
    public func insights(days: Int) -> Promise<InsightsOutput> {
        walk(.insights(from: today.advanced(by: 1 - max(days, 1))))
            .map(on: nil) { (insights: $0.value, response: $0.response.urlResponse) }
    }
}

extension ExistQuery {
    /// A query for insights, newest first, as in ``ExistAPI/insights(limit:page:from:through:)``, or only for
    /// those of one priority: 1 for today, 2 for the day, 3 for the week, 4 for the month. `GET insights/`
    public static func insights(
        from first: ExistDay? = nil, through last: ExistDay? = nil, priority: Int? = nil, limit: Int? = nil,
        page: Int = 1
    ) -> ExistQuery<Insight> {
        ExistQuery<Insight>(
            "insights/",
            ["date_min": first?.description, "date_max": last?.description, "priority": priority], limit: limit,
            page: page, identity: { HashKey($0.type.name, and: $0.created) })
    }
}
