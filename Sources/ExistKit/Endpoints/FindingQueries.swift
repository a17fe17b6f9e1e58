import Foundation
import PledgeHTTP

/// https://developer.exist.io/reference/insights/
extension ExistQuery where Item == Insight {
    /// What Exist noticed, newest first. `GET insights/`
    ///
    /// - Parameters:
    ///   - dateMin: the first day.
    ///   - dateMax: the last day.
    ///   - priority: only of this urgency: 1 today, 2 the day, 3 the week, 4 the month.
    ///   - limit: how many on a page, at most 100.
    ///   - page: which page, from 1.
    public static func insights(
        dateMin: ExistDay? = nil, dateMax: ExistDay? = nil, priority: Int? = nil, limit: Int? = nil, page: Int = 1
    ) -> ExistQuery {
        ExistQuery("insights/", limit: limit, page: page) { query in
            query.add("date_min", dateMin?.description)
            query.add("date_max", dateMax?.description)
            query.add("priority", priority)
        }
    }
}

/// https://developer.exist.io/reference/averages/
extension ExistQuery where Item == Average {
    /// The user's usual week. `GET averages/`
    ///
    /// - Parameters:
    ///   - groups: only of these groups; nil for all the token may read.
    ///   - names: only of these attributes; nil for all.
    ///   - includeHistorical: also those of earlier weeks, newest first.
    ///   - dateMin: the first day.
    ///   - dateMax: the last day.
    ///   - limit: how many on a page, at most 100.
    ///   - page: which page, from 1.
    public static func averages(
        groups: [String]? = nil, names: [String]? = nil, includeHistorical: Bool = false, dateMin: ExistDay? = nil,
        dateMax: ExistDay? = nil, limit: Int? = nil, page: Int = 1
    ) -> ExistQuery {
        ExistQuery(
            "averages/", limit: limit, page: page, identity: { "\($0.attribute) \($0.day)" }
        ) { query in
            query.add("groups", list: groups)
            query.add("attributes", list: names)
            query.add("include_historical", includeHistorical, as: "1")
            query.add("date_min", dateMin?.description)
            query.add("date_max", dateMax?.description)
        }
    }
}

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
        ExistQuery("correlations/", limit: limit, page: page) { query in
            query.add("strong", strong, as: "1")
            query.add("confident", confident, as: "1")
            query.add("attribute", attribute)
        }
    }
}

/// https://developer.exist.io/reference/correlations/
extension Endpoint where Response == Correlation? {
    /// What two attributes have to do with each other; nil where the service knows of nothing.
    static func combo(_ attribute: String, _ attribute2: String) -> Endpoint {
        var query = QueryItems()
        query.add("attribute", attribute)
        query.add("attribute2", attribute2)
        var endpoint = Endpoint(.get, "correlations/combo/", query: query) { reply in
            reply.status == 404 ? nil : try JSONReply.decode(Correlation.self, from: reply)
        }
        // A 404 in JSON is the answer "none"; one in HTML is a wrong address.
        endpoint.accepts = { reply in
            200..<300 ~= reply.status || (reply.status == 404 && reply.body.first == UInt8(ascii: "{"))
        }
        return endpoint
    }
}
