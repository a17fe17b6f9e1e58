import Foundation
import PledgeHTTP

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
            "averages/",
            [
                "groups": groups, "attributes": names, "include_historical": includeHistorical ? 1 : nil,
                "date_min": dateMin?.description, "date_max": dateMax?.description,
            ], limit: limit, page: page, identity: { "\($0.attribute) \($0.day)" })
    }
}

extension ExistAPI {
    /// The user's usual week. Wraps `GET averages/`.
    ///
    /// - Parameters:
    ///   - attribute: which attribute, with its earlier averages too, newest first; nil for the latest of all. For the
    ///     latest of some, see ``ExistQuery``.
    ///   - limit: how many on a page; without `limit` and `pageIndex` all pages are read.
    ///   - pageIndex: which page, from 1.
    ///   - minDate: the first day.
    ///   - maxDate: the last day.
    /// - Rejects: with ``ExistError``.
    /// - Cancellation: ends the request under way, and sends no other.
    public func averages(
        for attribute: String? = nil, limit: Int? = nil, pageIndex: Int? = nil, minDate: Date? = nil,
        maxDate: Date? = nil
    ) -> Promise<AveragesReply> {
        let query = ExistQuery.averages(
            names: attribute.map { [$0] }, includeHistorical: attribute != nil, dateMin: day(minDate),
            dateMax: day(maxDate), limit: limit, page: pageIndex ?? 1)
        return pageOrAll(query, limit, pageIndex).map(on: nil) {
            (averages: $0.value.results, response: $0.reply.urlResponse)
        }
    }
}
