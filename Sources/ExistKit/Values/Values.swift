import PledgeHTTP

/// https://developer.exist.io/reference/attributes/
extension ExistQuery {
    /// A query for attributes with up to 31 days of values, newest first. `GET attributes/with-values/`
    ///
    /// - Parameters:
    ///   - groups: The groups to include; nil for all the token may read.
    ///   - names: The names of the attributes to include; nil for all.
    ///   - templates: The templates whose attributes to include; use either this or `names`.
    ///   - manual: Whether to include only manually tracked attributes.
    ///   - days: The number of days, from 1 to 31. By default, only the last.
    ///   - last: The last day. The default is the current day in the user's time zone.
    ///   - limit: The maximum number of attributes per page, at most 100.
    ///   - page: The number of the page, starting at 1.
    public static func attributesWithValues(
        groups: [String]? = nil, names: [String]? = nil, templates: [String]? = nil, manual: Bool = false,
        days: Int? = nil, through last: ExistDay? = nil, limit: Int? = nil, page: Int = 1
    ) -> ExistQuery<Attribute> {
        ExistQuery<Attribute>(
            "attributes/with-values/",
            [
                "groups": groups, "attributes": names, "templates": templates, "manual": manual ? true : nil,
                "days": days.map { min(max($0, 1), ExistAPI.windowLimit) }, "date_max": last?.description,
            ], limit: limit, page: page, identity: \.name)
    }

    /// A query for the whole history of one attribute, newest first. `GET attributes/values/`
    ///
    /// The service does not specify the type of the values, so they are decoded unchanged; see
    /// ``ExistAPI/history(of:through:)`` for typed ones.
    ///
    /// - Parameters:
    ///   - attribute: The name of the attribute.
    ///   - last: The last day. The default is the newest.
    ///   - limit: The maximum number of values per page, at most 100.
    ///   - page: The number of the page, starting at 1.
    public static func values(
        of attribute: String, through last: ExistDay? = nil, limit: Int? = nil, page: Int = 1
    ) -> ExistQuery<Attribute.DayValue> {
        ExistQuery<Attribute.DayValue>(
            "attributes/values/", ["attribute": attribute, "date_max": last?.description], limit: limit, page: page,
            identity: \.day.description)
    }
}

extension ExistAPI {
    /// Fetches all attributes with their values on one day. Wraps `GET attributes/with-values/`.
    ///
    /// - Parameter day: The day; nil for the current day in the user's time zone, whatever the device's clock shows.
    /// - Rejects: With ``ExistError``.
    /// - Cancellation: Cancels the request in progress and sends no further requests.
    public func attributes(day: ExistDay?) -> Promise<AttributesReply> {
        walk(.attributesWithValues(days: 1, through: day))
            .map(on: nil) { (attributes: $0.value.results, response: $0.reply.urlResponse) }
    }

    /// Fetches the whole history of an attribute, newest first, decoded by its type. Wraps `GET attributes/values/`.
    ///
    /// - Parameters:
    ///   - attribute: The attribute, as returned by ``attributes(day:)`` or a query.
    ///   - last: The last day. The default is the newest.
    /// - Rejects: With ``ExistError``.
    /// - Cancellation: Cancels the request in progress and sends no further requests.
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
