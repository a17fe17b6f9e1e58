import Foundation
import PledgeHTTP

/// https://developer.exist.io/reference/insights/
extension Endpoint where Response == ExistPage<Insight> {
    static func insights(
        dateMin: ExistDay? = nil, dateMax: ExistDay? = nil, page: Int = 1, limit: Int = 100
    ) -> Endpoint {
        var query = QueryItems()
        query.add("date_min", dateMin?.description)
        query.add("date_max", dateMax?.description)
        query.add("page", page)
        query.add("limit", limit)
        return Endpoint(.get, "insights/", query: query)
    }
}

/// https://developer.exist.io/reference/averages/
extension Endpoint where Response == ExistPage<Average> {
    static func averages(
        names: [String]? = nil, includeHistorical: Bool = false, dateMin: ExistDay? = nil, dateMax: ExistDay? = nil,
        page: Int = 1, limit: Int = 100
    ) -> Endpoint {
        var query = QueryItems()
        query.add("attributes", list: names)
        query.add("include_historical", includeHistorical, as: "1")
        query.add("date_min", dateMin?.description)
        query.add("date_max", dateMax?.description)
        query.add("page", page)
        query.add("limit", limit)
        return Endpoint(.get, "averages/", query: query)
    }
}

/// https://developer.exist.io/reference/correlations/
extension Endpoint where Response == ExistPage<Correlation> {
    static func correlations(
        attribute: String? = nil, strong: Bool = false, confident: Bool = false, page: Int = 1, limit: Int = 100
    ) -> Endpoint {
        var query = QueryItems()
        query.add("attribute", attribute)
        query.add("strong", strong, as: "1")
        query.add("confident", confident, as: "1")
        query.add("page", page)
        query.add("limit", limit)
        return Endpoint(.get, "correlations/", query: query)
    }
}
