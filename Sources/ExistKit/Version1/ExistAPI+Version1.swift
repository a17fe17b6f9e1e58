import Foundation
import PledgeHTTP

// The calls of version 1, with its parameter names for days; disfavored where a call is ambiguous.
extension ExistAPI {
    /// Fetches attributes with their values; here, `limit` is a number of days.
    @_disfavoredOverload
    @available(*, deprecated, message: "Use days: instead of limit:, and from: and through: with an ExistDay.")
    public func attributes(
        names: [String]? = nil, limit: Int? = nil, minDate: Date? = nil, maxDate: Date? = nil
    ) -> Promise<AttributesOutput> {
        attributes(names: names, days: limit, from: day(minDate), through: day(maxDate))
    }

    /// Fetches a page of insights.
    @_disfavoredOverload
    @available(*, deprecated, message: "Use page: instead of pageIndex:, and from: and through: with an ExistDay.")
    public func insights(
        limit: Int? = nil, pageIndex: Int? = nil, minDate: Date? = nil, maxDate: Date? = nil
    ) -> Promise<InsightsOutput> {
        insights(limit: limit, page: pageIndex, from: day(minDate), through: day(maxDate))
    }

    /// Fetches the averages of the user's week.
    @_disfavoredOverload
    @available(*, deprecated, message: "Use page: instead of pageIndex:, and from: and through: with an ExistDay.")
    public func averages(
        for attribute: String? = nil, limit: Int? = nil, pageIndex: Int? = nil, minDate: Date? = nil,
        maxDate: Date? = nil
    ) -> Promise<AveragesOutput> {
        averages(for: attribute, limit: limit, page: pageIndex, from: day(minDate), through: day(maxDate))
    }

    /// Fetches correlations. The service has only the latest, whatever `latest` is; the days are filtered locally.
    @_disfavoredOverload
    @available(*, deprecated, message: "The service returns only the latest: filter the result.")
    public func correlations(
        for attribute: String? = nil, limit: Int? = nil, pageIndex: Int? = nil, minDate: Date? = nil,
        maxDate: Date? = nil, latest: Bool? = nil
    ) -> Promise<CorrelationsOutput> {
        let (first, last) = (day(minDate), day(maxDate))
        return correlations(for: attribute, limit: limit, page: pageIndex).map(on: nil) { response in
            let kept = response.correlations.filter { $0.day >= first ?? $0.day && $0.day <= last ?? $0.day }
            return (correlations: kept, response: response.response)
        }
    }

    private func day(_ date: Date?) -> ExistDay? { date.map { ExistDay($0, in: timeZone) } }
}
