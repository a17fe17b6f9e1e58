/// https://developer.exist.io/reference/attributes/
extension ExistQuery where Item == Attribute {
    /// The user's attributes, without values. `GET attributes/`
    ///
    /// - Parameters:
    ///   - groups: only of these groups; nil for all the token may read.
    ///   - names: only these; nil for all.
    ///   - excludeCustom: leaves out those without a template.
    ///   - manual: only those filled in by hand, or only others; nil for both.
    ///   - includeInactive: also those not in use.
    ///   - includeLowPriority: also those with a priority of 10 or more.
    ///   - owned: only those this client owns.
    ///   - limit: how many on a page, at most 100.
    ///   - page: which page, from 1.
    public static func attributes(
        groups: [String]? = nil, names: [String]? = nil, excludeCustom: Bool = false, manual: Bool? = nil,
        includeInactive: Bool = false, includeLowPriority: Bool = false, owned: Bool = false, limit: Int? = nil,
        page: Int = 1
    ) -> ExistQuery {
        ExistQuery("attributes/", limit: limit, page: page, identity: \.name) { query in
            query.add("groups", list: groups)
            query.add("attributes", list: names)
            query.add("exclude_custom", excludeCustom, as: "true")
            query.add("manual", manual.map { "\($0)" })
            query.add("include_inactive", includeInactive, as: "true")
            query.add("include_low_priority", includeLowPriority, as: "true")
            query.add("owned", owned, as: "true")
        }
    }

    /// The attributes this client owns, without values. `GET attributes/owned/`
    ///
    /// - Parameters:
    ///   - groups: only of these groups; nil for all.
    ///   - names: only these; nil for all.
    ///   - excludeCustom: leaves out those without a template.
    ///   - manual: only those filled in by hand, or only others; nil for both.
    ///   - includeInactive: also those not in use.
    ///   - includeLowPriority: also those with a priority of 10 or more.
    ///   - limit: how many on a page, at most 100.
    ///   - page: which page, from 1.
    public static func owned(
        groups: [String]? = nil, names: [String]? = nil, excludeCustom: Bool = false, manual: Bool? = nil,
        includeInactive: Bool = false, includeLowPriority: Bool = false, limit: Int? = nil, page: Int = 1
    ) -> ExistQuery {
        ExistQuery("attributes/owned/", limit: limit, page: page, identity: \.name) { query in
            query.add("groups", list: groups)
            query.add("attributes", list: names)
            query.add("exclude_custom", excludeCustom, as: "true")
            query.add("manual", manual.map { "\($0)" })
            query.add("include_inactive", includeInactive, as: "true")
            query.add("include_low_priority", includeLowPriority, as: "true")
        }
    }

    /// Attributes with up to 31 days of values, newest first. `GET attributes/with-values/`
    ///
    /// - Parameters:
    ///   - groups: only of these groups; nil for all the token may read.
    ///   - names: only these; nil for all.
    ///   - templates: only those made from these; use either this or `names`.
    ///   - manual: only those filled in by hand.
    ///   - days: how many days, 1 to 31; only the last unless given.
    ///   - dateMax: the last day; the user's today unless given.
    ///   - limit: how many attributes on a page, at most 100.
    ///   - page: which page, from 1.
    public static func attributesWithValues(
        groups: [String]? = nil, names: [String]? = nil, templates: [String]? = nil, manual: Bool = false,
        days: Int? = nil, dateMax: ExistDay? = nil, limit: Int? = nil, page: Int = 1
    ) -> ExistQuery {
        ExistQuery("attributes/with-values/", limit: limit, page: page, identity: \.name) { query in
            query.add("groups", list: groups)
            query.add("attributes", list: names)
            query.add("templates", list: templates)
            query.add("manual", manual, as: "true")
            query.add("days", days.map { min(max($0, 1), 31) })
            query.add("date_max", dateMax?.description)
        }
    }
}

/// https://developer.exist.io/reference/attributes/
extension ExistQuery where Item == AttributeTemplate {
    /// What attributes can be made from. `GET attributes/templates/`
    ///
    /// - Parameters:
    ///   - groups: only of these groups; nil for all.
    ///   - includeLowPriority: also those with a priority of 10 or more.
    ///   - limit: how many on a page, at most 100.
    ///   - page: which page, from 1.
    public static func templates(
        groups: [String]? = nil, includeLowPriority: Bool = false, limit: Int? = nil, page: Int = 1
    ) -> ExistQuery {
        ExistQuery("attributes/templates/", limit: limit, page: page, identity: \.name) { query in
            query.add("include_low_priority", includeLowPriority, as: "true")
            query.add("groups", list: groups)
        }
    }
}

/// https://developer.exist.io/reference/attributes/
extension ExistQuery where Item == Attribute.DayValue {
    /// The whole history of one attribute, newest first. `GET attributes/values/`
    ///
    /// The service does not say what type the values are, so they come as they were sent; see
    /// ``ExistAPI/history(of:through:)`` for typed ones.
    ///
    /// - Parameters:
    ///   - attribute: its name.
    ///   - dateMax: the last day; the newest unless given.
    ///   - limit: how many on a page, at most 100.
    ///   - page: which page, from 1.
    public static func values(
        of attribute: String, dateMax: ExistDay? = nil, limit: Int? = nil, page: Int = 1
    ) -> ExistQuery {
        ExistQuery("attributes/values/", limit: limit, page: page, identity: \.day.description) { query in
            query.add("attribute", attribute)
            query.add("date_max", dateMax?.description)
        }
    }
}
