import Foundation
import PledgeHTTP

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension ExistAPI {
    /// A page of insights. Wraps `GET insights/`.
    ///
    /// - Parameters:
    ///   - limit: how many on a page, at most 100; 100 unless given.
    ///   - pageIndex: which page, from 1.
    ///   - minDate: the first day.
    ///   - maxDate: the last day.
    /// - Rejects: with ``ExistError``.
    /// - Cancellation: ends the request.
    public func insights(
        limit: Int? = nil, pageIndex: Int? = nil, minDate: Date? = nil, maxDate: Date? = nil
    ) -> Promise<InsightsReply> {
        page(.insights(dateMin: day(minDate), dateMax: day(maxDate), limit: limit, page: pageIndex ?? 1))
            .map(on: nil) { (insights: $0.page, response: $0.response) }
    }

    /// All insights of the last days, today included. Wraps `GET insights/`, page by page.
    ///
    /// - Parameter days: how many days, counted from today in this client's time zone.
    /// - Rejects: with ``ExistError``.
    /// - Cancellation: ends the request under way, and sends no other.
    public func insights(days: Int) -> Promise<InsightsReply> {
        walk(.insights(dateMin: today.advanced(by: 1 - max(days, 1))))
            .map(on: nil) { (insights: $0.value, response: $0.reply.urlResponse) }
    }

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

    /// What goes together, as of the last week. Wraps `GET correlations/`.
    ///
    /// - Parameters:
    ///   - attribute: which attribute; nil for the strong ones of all.
    ///   - limit: how many on a page, at most 100; without `limit` and `pageIndex` all pages are read.
    ///   - pageIndex: which page, from 1.
    ///   - minDate: leaves out what was made before this day. The service has no such filter: this one is the client's.
    ///   - maxDate: leaves out what was made after this day, likewise.
    ///   - latest: kept for older code. The service has only the latest.
    /// - Rejects: with ``ExistError``.
    /// - Cancellation: ends the request under way, and sends no other.
    public func correlations(
        for attribute: String? = nil, limit: Int? = nil, pageIndex: Int? = nil, minDate: Date? = nil,
        maxDate: Date? = nil, latest: Bool? = nil
    ) -> Promise<CorrelationsReply> {
        let (first, last) = (day(minDate), day(maxDate))
        let query = ExistQuery.correlations(
            attribute: attribute, strong: attribute == nil, limit: limit, page: pageIndex ?? 1)
        return pageOrAll(query, limit, pageIndex).map(on: nil) { answer in
            let kept = answer.value.results.filter { item in
                item.day >= first ?? item.day && item.day <= last ?? item.day
            }
            return (correlations: kept, response: answer.reply.urlResponse)
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

    private func pageOrAll<Item>(
        _ query: ExistQuery<Item>, _ limit: Int?, _ pageIndex: Int?
    ) -> Promise<Answer<ExistPage<Item>>> {
        limit == nil && pageIndex == nil ? walk(query) : sendPage(query.endpoint)
    }
}
