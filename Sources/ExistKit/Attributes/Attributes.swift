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
}
