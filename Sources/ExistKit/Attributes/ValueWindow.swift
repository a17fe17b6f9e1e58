import PledgeHTTP

extension ExistAPI {
    /// The days of values that a call still has to fetch, newest first.
    struct ValueWindow: Sendable {
        var names: [String]?
        var first: ExistDay?
        var last: ExistDay?
        var wanted: Int
        var limit: Int?
    }

    func read(_ window: ValueWindow, after newer: [Attribute], _ meter: BudgetMeter) -> Promise<AttributesOutput> {
        let size = min(window.wanted, Self.windowLimit)
        let query = ExistQuery<Attribute>.attributesWithValues(names: window.names, days: size, through: window.last)
        return walk(query, charging: meter).then(on: nil) { decoded -> Promise<AttributesOutput> in
            let all = newer.addingOlder(decoded.value.results)
            let oldest = decoded.value.results.lazy.flatMap(\.values).map(\.day).min()
            var next = window
            next.last = oldest?.advanced(by: -1)
            next.wanted -= size
            guard let oldest, next.wanted > 0, window.first.map({ $0 < oldest }) != false else {
                let kept = all.keepingDays(from: window.first, atMost: window.limit)
                return .value((attributes: kept, response: decoded.response.urlResponse))
            }
            return self.read(next, after: all, meter)
        }
    }
}

extension [Attribute] {
    fileprivate func addingOlder(_ older: [Attribute]) -> [Attribute] {
        var all = self
        let indices = Dictionary(all.indices.map { (all[$0].name, $0) }, uniquingKeysWith: { first, _ in first })
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
            kept.values = Array<Attribute.DayValue>(
                kept.values.lazy.filter { $0.day >= first ?? $0.day }.prefix(limit ?? .max))
            return kept
        }
    }
}
