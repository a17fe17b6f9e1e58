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
        list(
            "attributes/", groups, names, excludeCustom, manual, includeInactive, includeLowPriority, owned: owned,
            limit, page)
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
        list(
            "attributes/owned/", groups, names, excludeCustom, manual, includeInactive, includeLowPriority,
            owned: false, limit, page)
    }

    private static func list(
        _ path: String, _ groups: [String]?, _ names: [String]?, _ excludeCustom: Bool, _ manual: Bool?,
        _ includeInactive: Bool, _ includeLowPriority: Bool, owned: Bool, _ limit: Int?, _ page: Int
    ) -> ExistQuery {
        ExistQuery(
            path,
            [
                "groups": groups, "attributes": names, "exclude_custom": excludeCustom ? true : nil, "manual": manual,
                "include_inactive": includeInactive ? true : nil,
                "include_low_priority": includeLowPriority ? true : nil, "owned": owned ? true : nil,
            ], limit: limit, page: page, identity: \.name)
    }
}
