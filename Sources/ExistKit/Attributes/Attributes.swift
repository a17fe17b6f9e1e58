/// https://developer.exist.io/reference/attributes/
extension ExistQuery {
    /// A query for the user's attributes, without values. `GET attributes/`
    ///
    /// - Parameters:
    ///   - groups: The groups to include; nil for all the token may read.
    ///   - names: The names of the attributes to include; nil for all.
    ///   - excludeCustom: Whether to exclude attributes without a template.
    ///   - manual: Whether to include only manually tracked attributes, or only others; nil for both.
    ///   - includeInactive: Whether to include attributes that are not in use.
    ///   - includeLowPriority: Whether to include attributes with a priority of 10 or more.
    ///   - owned: Whether to include only attributes this client owns.
    ///   - limit: The maximum number of attributes per page, at most 100.
    ///   - page: The number of the page, starting at 1.
    public static func attributes(
        groups: [String]? = nil, names: [String]? = nil, excludeCustom: Bool = false, manual: Bool? = nil,
        includeInactive: Bool = false, includeLowPriority: Bool = false, owned: Bool = false, limit: Int? = nil,
        page: Int = 1
    ) -> ExistQuery<Attribute> {
        list(
            "attributes/", groups, names, excludeCustom, manual, includeInactive, includeLowPriority, owned: owned,
            limit, page)
    }

    /// A query for the attributes this client owns, without values. `GET attributes/owned/`
    ///
    /// - Parameters:
    ///   - groups: The groups to include; nil for all.
    ///   - names: The names of the attributes to include; nil for all.
    ///   - excludeCustom: Whether to exclude attributes without a template.
    ///   - manual: Whether to include only manually tracked attributes, or only others; nil for both.
    ///   - includeInactive: Whether to include attributes that are not in use.
    ///   - includeLowPriority: Whether to include attributes with a priority of 10 or more.
    ///   - limit: The maximum number of attributes per page, at most 100.
    ///   - page: The number of the page, starting at 1.
    public static func owned(
        groups: [String]? = nil, names: [String]? = nil, excludeCustom: Bool = false, manual: Bool? = nil,
        includeInactive: Bool = false, includeLowPriority: Bool = false, limit: Int? = nil, page: Int = 1
    ) -> ExistQuery<Attribute> {
        list(
            "attributes/owned/", groups, names, excludeCustom, manual, includeInactive, includeLowPriority,
            owned: false, limit, page)
    }

    private static func list(
        _ path: String, _ groups: [String]?, _ names: [String]?, _ excludeCustom: Bool, _ manual: Bool?,
        _ includeInactive: Bool, _ includeLowPriority: Bool, owned: Bool, _ limit: Int?, _ page: Int
    ) -> ExistQuery<Attribute> {
        ExistQuery<Attribute>(
            path,
            [
                "groups": groups, "attributes": names, "exclude_custom": excludeCustom ? true : nil, "manual": manual,
                "include_inactive": includeInactive ? true : nil,
                "include_low_priority": includeLowPriority ? true : nil, "owned": owned ? true : nil,
            ], limit: limit, page: page, identity: \.name)
    }
}
