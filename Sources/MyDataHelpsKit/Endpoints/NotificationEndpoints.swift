import PledgeHTTP

extension NotificationHistoryQuery {
    /// `GET api/v1/delegated/notifications`
    public var endpoint: Endpoint<NotificationHistoryPage> {
        var query = QueryItems()
        query.add("identifier", identifier)
        query.add("sentAfter", sentAfter)
        query.add("sentBefore", sentBefore)
        query.add("type", type?.rawValue)
        query.add("statusCode", statusCode?.rawValue)
        query.add(limit: limit, pageID: pageID?.value)
        return Endpoint(.get, Endpoint<Page>.delegated("notifications"), query: query)
    }
}
