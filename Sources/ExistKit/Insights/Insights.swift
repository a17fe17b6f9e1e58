import PledgeHTTP

/// https://developer.exist.io/reference/insights/
extension ExistQuery where Item == Insight {
    /// What Exist noticed, newest first. `GET insights/`
    ///
    /// - Parameters:
    ///   - first: the first day.
    ///   - last: the last day.
    ///   - priority: only of this urgency: 1 today, 2 the day, 3 the week, 4 the month.
    ///   - limit: how many on a page, at most 100.
    ///   - page: which page, from 1.
    public static func insights(
        from first: ExistDay? = nil, through last: ExistDay? = nil, priority: Int? = nil, limit: Int? = nil,
        page: Int = 1
    ) -> ExistQuery {
        ExistQuery(
            "insights/",
            ["date_min": first?.description, "date_max": last?.description, "priority": priority], limit: limit,
            page: page)
    }
}

extension ExistAPI {
    /// A page of insights. Wraps `GET insights/`.
    ///
    /// - Parameters:
    ///   - limit: how many on a page, at most 100; 100 unless given.
    ///   - pageIndex: which page, from 1.
    ///   - first: the first day.
    ///   - last: the last day.
    /// - Rejects: with ``ExistError``.
    /// - Cancellation: ends the request.
    public func insights(
        limit: Int? = nil, pageIndex: Int? = nil, from first: ExistDay? = nil, through last: ExistDay? = nil
    ) -> Promise<InsightsReply> {
        page(.insights(from: first, through: last, limit: limit, page: pageIndex ?? 1))
            .map(on: nil) { (insights: $0.page, response: $0.response) }
    }

    /// All insights of the last days, today included. Wraps `GET insights/`, page by page.
    ///
    /// - Parameter days: how many days, counted from today in this client's time zone.
    /// - Rejects: with ``ExistError``.
    /// - Cancellation: ends the request under way, and sends no other.
    public func insights(days: Int) -> Promise<InsightsReply> {
        walk(.insights(from: today.advanced(by: 1 - max(days, 1))))
            .map(on: nil) { (insights: $0.value, response: $0.reply.urlResponse) }
    }
}
