import Foundation
import PledgeHTTP

extension ExistAPI {
    /// Fetches attributes with their values. Wraps `GET attributes/with-values/`, page by page, and month by month if
    /// more days are requested than the service returns at once.
    ///
    /// - Parameters:
    ///   - names: The names of the attributes; nil for all the token may read.
    ///   - days: The maximum number of days, the newest first, up to 3,660. The default is 7, or all from `first`
    ///     through `last`. A request returns 31 days.
    ///   - first: The first day.
    ///   - last: The last day. The default is the current day in the user's time zone.
    /// - Returns: The attributes in the service's order, without those it does not know. Each has a value for every
    ///   day, newest first; nil if nothing is known.
    /// - Rejects: With ``ExistError``.
    /// - Cancellation: Cancels the request in progress and sends no further requests.
    public func attributes(
        names: [String]? = nil, days: Int? = nil, from first: ExistDay? = nil, through last: ExistDay? = nil
    ) -> Promise<AttributesReply> {
        if names?.isEmpty == true { return .value((attributes: [], response: noResponse)) }
        if let days, days < 1 {
            return Promise(
                error: ExistError(invalidArgument: "\(days) days of values were requested: the minimum is 1."))
        }
        var asked = days ?? 7
        if let first {
            let span = first.distance(to: last ?? today) + 1
            guard span > 0 else {
                return Promise(
                    error: ExistError(
                        invalidArgument: "The first day, \(first), is after the last, \(last ?? today): swap them."))
            }
            asked = min(days ?? .max, span)
        }
        guard asked <= Self.longestSpan else {
            let problem =
                "\(asked) days of values were requested, which is more than ten years: request fewer, or use history(of:)."
            return Promise(error: ExistError(invalidArgument: problem))
        }
        // Request one more if the service determines the current day, which may be a day ahead of the device's.
        let wanted = min(days ?? .max, asked + (first != nil && last == nil ? 1 : 0))
        let window = ValueWindow(names: names, first: first, last: last, wanted: wanted, limit: days)
        return read(window, after: [], meter)
    }

    private struct ValueWindow: Sendable {
        var names: [String]?
        var first: ExistDay?
        var last: ExistDay?
        var wanted: Int
        var limit: Int?
    }

    private func read(_ window: ValueWindow, after newer: [Attribute], _ meter: BudgetMeter) -> Promise<AttributesReply>
    {
        let size = min(window.wanted, Self.windowLimit)
        let query = ExistQuery<Attribute>.attributesWithValues(names: window.names, days: size, through: window.last)
        return walk(query, charging: meter).then(on: nil) {
            answer -> Promise<AttributesReply> in
            let all = newer.addingOlder(answer.value.results)
            let oldest = answer.value.results.lazy.flatMap(\.values).map(\.day).min()
            var next = window
            next.last = oldest?.advanced(by: -1)
            next.wanted -= size
            guard let oldest, next.wanted > 0, oldest > window.first ?? oldest.advanced(by: -1) else {
                let kept = all.keepingDays(from: window.first, atMost: window.limit)
                return .value((attributes: kept, response: answer.reply.urlResponse))
            }
            return self.read(next, after: all, meter)
        }
    }
}

extension [Attribute] {
    /// Returns these attributes with the values of an earlier window appended to their own.
    fileprivate func addingOlder(_ older: [Attribute]) -> [Attribute] {
        guard !isEmpty else { return older }
        var all = self
        let indices = Dictionary(
            all.indices.map { (all[$0].name, $0) }, uniquingKeysWith: { first, _ in first })
        for attribute in older {
            if let index = indices[attribute.name] {
                all[index].values += attribute.values
                all[index].unreadableValues += attribute.unreadableValues
            } else {
                all.append(attribute)
            }
        }
        return all
    }

    fileprivate func keepingDays(from first: ExistDay?, atMost limit: Int?) -> [Attribute] {
        map { attribute in
            var kept = attribute
            if let first { kept.values.removeAll { $0.day < first } }
            if let limit { kept.values = Array<Attribute.DayValue>(kept.values.prefix(limit)) }
            return kept
        }
    }
}
