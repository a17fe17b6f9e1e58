extension ExistBackend {
    var writingRoutes: [ServerRoute] {
        [
            writers("POST /api/2/attributes/update/", update),
            writers("POST /api/2/attributes/increment/", increment),
        ]
    }

    func update(_ request: ServerRequest, by token: ExistToken) throws -> ServerResponse {
        return try write(request) { records, item throws(ExistItemError) in
            try item.require("name", "date", "value")
            let attribute = try writable(item, in: records, by: token)
            let day = try day(of: item)
            let value = try attribute.valueType.accepting(item["value"] ?? .null)
            records.write(value, of: attribute.name, on: day)
            return .object(item)
        }
    }

    func increment(_ request: ServerRequest, by token: ExistToken) throws -> ServerResponse {
        let today = clock.today
        return try write(request) { records, item throws(ExistItemError) in
            try item.require("name", "value")
            let attribute = try writable(item, in: records, by: token)
            if let refusal = attribute.valueType.incrementRefusal { throw .validation(refusal) }
            let day = item["date"] == nil ? today : try day(of: item)
            let delta = try attribute.valueType.accepting(item["value"] ?? .null)
            let current = try records.value(of: attribute, on: day, today: today).adding(delta)
            records.write(current, of: attribute.name, on: day)
            return .object(item.adding(["current": current]))
        }
    }

    private func writable(
        _ item: ExistItem, in records: ExistRecords, by token: ExistToken
    ) throws(ExistItemError) -> ExistAttribute {
        let name = item["name"]?.string ?? ""
        guard let attribute = records[name] else { throw .notFound(name) }
        guard token.owns(attribute) else { throw .notOwned(name) }
        try token.checkWriting(attribute.group, manual: attribute.manual)
        return attribute
    }

    private func day(of item: ExistItem) throws(ExistItemError) -> CalendarDay {
        guard let day = item["date"]?.string.flatMap({ CalendarDay($0) }) else {
            throw .validation("Date must be written YYYY-MM-DD")
        }
        // The service does not know the client's time zone, where it may already be tomorrow.
        guard day <= clock.today + 1 else { throw .validation("Date is in the future") }
        return day
    }
}

extension ServerJSON {
    fileprivate func adding(_ delta: ServerJSON) throws(ExistItemError) -> ServerJSON {
        if let own = self == .null ? 0 : integer, let more = delta.integer {
            let (sum, overflow) = own.addingReportingOverflow(more)
            if overflow { throw .validation("Value is too large") }
            return .integer(sum)
        }
        return .number([self, delta].compactMap(\.double).reduce(0, +))
    }
}
