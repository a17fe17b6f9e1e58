import PledgeHTTP

/// https://developer.exist.io/reference/attributes/
extension ExistQuery where Item == Attribute {
    /// Attributes with up to 31 days of values, newest first. `GET attributes/with-values/`
    ///
    /// - Parameters:
    ///   - groups: only of these groups; nil for all the token may read.
    ///   - names: only these; nil for all.
    ///   - templates: only those made from these; use either this or `names`.
    ///   - manual: only those filled in by hand.
    ///   - days: how many days, 1 to 31; only the last unless given.
    ///   - last: the last day; the user's today unless given.
    ///   - limit: how many attributes on a page, at most 100.
    ///   - page: which page, from 1.
    public static func attributesWithValues(
        groups: [String]? = nil, names: [String]? = nil, templates: [String]? = nil, manual: Bool = false,
        days: Int? = nil, through last: ExistDay? = nil, limit: Int? = nil, page: Int = 1
    ) -> ExistQuery {
        ExistQuery(
            "attributes/with-values/",
            [
                "groups": groups, "attributes": names, "templates": templates, "manual": manual ? true : nil,
                "days": days.map { min(max($0, 1), ExistAPI.windowLimit) }, "date_max": last?.description,
            ], limit: limit, page: page, identity: \.name)
    }
}

extension ExistQuery where Item == Attribute.DayValue {
    /// The whole history of one attribute, newest first. `GET attributes/values/`
    ///
    /// The service does not say what type the values are, so they come as they were sent; see
    /// ``ExistAPI/history(of:through:)`` for typed ones.
    ///
    /// - Parameters:
    ///   - attribute: its name.
    ///   - last: the last day; the newest unless given.
    ///   - limit: how many on a page, at most 100.
    ///   - page: which page, from 1.
    public static func values(
        of attribute: String, through last: ExistDay? = nil, limit: Int? = nil, page: Int = 1
    ) -> ExistQuery {
        ExistQuery(
            "attributes/values/", ["attribute": attribute, "date_max": last?.description], limit: limit, page: page,
            identity: \.day.description)
    }
}

extension ExistAPI {
    /// All attributes with the value of one day. Wraps `GET attributes/with-values/`.
    ///
    /// - Parameter day: which day; nil for the user's today, whatever the device's clock says.
    /// - Rejects: with ``ExistError``.
    /// - Cancellation: ends the request under way, and sends no other.
    public func attributes(on day: ExistDay?) -> Promise<AttributesReply> {
        walk(.attributesWithValues(days: 1, through: day))
            .map(on: nil) { (attributes: $0.value.results, response: $0.reply.urlResponse) }
    }

    /// The whole history of one attribute, newest first, its values read by its type. Wraps `GET attributes/values/`.
    ///
    /// - Parameters:
    ///   - attribute: the attribute, as ``attributes(on:)`` or a query gives it.
    ///   - last: the last day; the newest unless given.
    /// - Rejects: with ``ExistError``.
    /// - Cancellation: ends the request under way, and sends no other.
    public func history(of attribute: Attribute, through last: ExistDay? = nil) -> Promise<HistoryReply> {
        walk(.values(of: attribute.name, through: last)).map(on: nil) { answer in
            var whole = attribute
            whole.values = answer.value.results.map { item in
                Attribute.DayValue(day: item.day, value: item.value?.read(as: attribute.valueType))
            }
            whole.unreadableValues = answer.value.unreadable
            return (attribute: whole, response: answer.reply.urlResponse)
        }
    }
}
