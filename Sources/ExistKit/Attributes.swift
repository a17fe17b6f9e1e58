import Foundation
import PledgeCoding
import PledgeHTTP

/// https://developer.exist.io/reference/attributes/
extension ExistAPI {
    /// The maximum number of days of values that the service sends in one response.
    package static let mostDaysPerRequest = 31

    /// The maximum number of days that one call may request. For that many days, the call sends about 120 requests, one
    /// for every 31 days. The service's ``limit`` of requests per hour allows that.
    static let mostDaysPerCall = 3660

    /// Fetches attributes with their values for a range of days. Wraps `GET attributes/with-values/`.
    ///
    /// The service returns at most 31 days at once, so a call for more days sends several requests. It also sends one
    /// request for each page of attributes.
    ///
    /// - Parameters:
    ///   - names: The names of the attributes; nil for all attributes that the token may read.
    ///   - days: The maximum number of days, up to 3,660. If the range contains more days than this, you get the
    ///     newest. The default is 7 days or, if you pass `first`, every day from `first` through `last`.
    ///   - first: The first day of the range. If it is nil, `days` determines the first day.
    ///   - last: The last day of the range. The default is the current day in the user's time zone.
    /// - Returns: The attributes that exist, in the service's order. Each attribute has an entry for every day, newest
    ///   first. The value of an entry is nil if the attribute has no value on that day.
    public func attributes(
        names: [String]? = nil, days: Int? = nil, from first: ExistDay? = nil, through last: ExistDay? = nil
    ) -> Promise<AttributesOutput> {
        if names?.isEmpty == true { return .value((attributes: [], response: noResponse)) }
        if let days, days < 1 { return .invalid("\(days) days of values were requested: the minimum is 1.") }
        var asked = days ?? 7
        if let first {
            let span = first.distance(to: last ?? today) + 1
            // The user's current day may be one day later than the device's.
            guard span > 0 || last == nil && span == 0 else {
                return .invalid("The first day, \(first), is after the last, \(last ?? today): swap them.")
            }
            asked = min(days ?? .max, span)
        }
        guard asked <= Self.mostDaysPerCall else {
            return .invalid(
                "\(asked) days of values were requested, which is more than ten years: request fewer, or use history(of:)."
            )
        }
        // If `last` is nil, the service decides which day is the last. It may be one day later than the device's
        // current day. So one more day is requested, and the range still reaches back to `first`.
        let wanted = min(days ?? .max, asked + (first != nil && last == nil ? 1 : 0))
        let window = ValueWindow(names: names, first: first, last: last, wanted: wanted, limit: days)
        return fetchWindows(window, after: [], makeMeter())
    }

    /// Fetches all attributes with their values on one day. Wraps `GET attributes/with-values/`.
    ///
    /// If `day` is nil, the service uses the current day in the user's time zone. The device's clock doesn't matter.
    public func attributes(day: ExistDay?) -> Promise<AttributesOutput> {
        allPages(.attributesWithValues(days: 1, through: day))
            .map(on: nil) { (attributes: $0.value.results, response: $0.response.urlResponse) }
    }

    /// Fetches all values of an attribute up to a day, newest first. Wraps `GET attributes/values/`.
    ///
    /// If `last` is nil, the values end with the newest day. The values are decoded according to the attribute's
    /// ``Attribute/valueType``.
    public func history(of attribute: Attribute, through last: ExistDay? = nil) -> Promise<HistoryOutput> {
        allPages(.values(of: attribute.name, through: last)).map(on: nil) { decoded in
            var whole = attribute
            let typed = self.values(decoded.value.results, of: attribute)
            whole.values = typed.values
            whole.unreadableValues = decoded.value.unreadable + typed.unreadable
            return (attribute: whole, response: decoded.response.urlResponse)
        }
    }

    /// Returns values that were decoded without their type, in the form that the attribute's type requires. A value that
    /// the type can't have becomes nil, and is reported.
    package func values(
        _ items: [Attribute.DayValue], of attribute: Attribute
    ) -> (values: [Attribute.DayValue], unreadable: [UnreadableItem]) {
        var (values, unreadable): ([Attribute.DayValue], [UnreadableItem]) = (items, [])
        for (index, item) in items.enumerated() {
            values[index].value = item.value?.read(as: attribute.valueType)
            if item.value != nil, values[index].value == nil { unreadable.add(index) { "value is not Double" } }
        }
        report(unreadable, of: "attributes/values/ (\(attribute.name))")
        return (values, unreadable)
    }

    /// Fetches the custom tags that are set on a day. Wraps `GET attributes/with-values/?groups=custom`.
    ///
    /// If `day` is nil, the service uses the current day in the user's time zone. Show the user the ``Attribute/label``
    /// of a tag, and use its ``Attribute/name`` in requests.
    public func tags(day: ExistDay? = nil) -> Promise<TagsOutput> {
        allPages(.attributesWithValues(groups: ["custom"], days: 1, through: day)).map(on: nil) { decoded in
            let set = decoded.value.results.filter { $0.valueType == .boolean && $0.values.first?.value?.bool == true }
            return (tags: set, response: decoded.response.urlResponse)
        }
    }
}

extension ExistQuery {
    /// Returns a query for the user's attributes without their values. It requests `GET attributes/`.
    ///
    /// - Parameters:
    ///   - groups: The groups whose attributes to include; nil for all groups that the token may read.
    ///   - names: The names of the attributes to include; nil for all.
    ///   - excludeCustom: Whether to exclude custom attributes, which have no template.
    ///   - manual: True to include only attributes that the user tracks manually, false to exclude these attributes, or
    ///     nil to include all.
    ///   - includeInactive: Whether to include attributes that are not in use.
    ///   - includeLowPriority: Whether to include attributes with a priority of 10 or more.
    ///   - owned: Whether to include only attributes that your app owns.
    ///   - limit: The maximum number of attributes per page, at most 100.
    ///   - page: The number of the page, starting at 1.
    public static func attributes(
        groups: [String]? = nil, names: [String]? = nil, excludeCustom: Bool = false, manual: Bool? = nil,
        includeInactive: Bool = false, includeLowPriority: Bool = false, owned: Bool = false, limit: Int? = nil,
        page: Int = 1
    ) -> ExistQuery<Attribute> {
        ExistQuery<Attribute>(
            "attributes/",
            [
                "groups": groups, "attributes": names, "exclude_custom": excludeCustom ? true : nil, "manual": manual,
                "include_inactive": includeInactive ? true : nil,
                "include_low_priority": includeLowPriority ? true : nil, "owned": owned ? true : nil,
            ], limit: limit, page: page, identity: { HashKey($0.name) })
    }

    /// Returns a query for the attributes that your app owns, without their values. It requests
    /// `GET attributes/owned/`.
    ///
    /// For the parameters, see
    /// ``attributes(groups:names:excludeCustom:manual:includeInactive:includeLowPriority:owned:limit:page:)``.
    public static func owned(
        groups: [String]? = nil, names: [String]? = nil, excludeCustom: Bool = false, manual: Bool? = nil,
        includeInactive: Bool = false, includeLowPriority: Bool = false, limit: Int? = nil, page: Int = 1
    ) -> ExistQuery<Attribute> {
        var query = ExistQuery<Attribute>.attributes(
            groups: groups, names: names, excludeCustom: excludeCustom, manual: manual,
            includeInactive: includeInactive, includeLowPriority: includeLowPriority, limit: limit, page: page)
        query.path = "attributes/owned/"
        return query
    }

    /// Returns a query for the templates of attributes. It requests `GET attributes/templates/`.
    ///
    /// - Parameters:
    ///   - groups: The groups whose templates to include; nil for all.
    ///   - includeLowPriority: Whether to include templates with a priority of 10 or more.
    ///   - limit: The maximum number of templates per page, at most 100.
    ///   - page: The number of the page, starting at 1.
    public static func templates(
        groups: [String]? = nil, includeLowPriority: Bool = false, limit: Int? = nil, page: Int = 1
    ) -> ExistQuery<AttributeTemplate> {
        ExistQuery<AttributeTemplate>(
            "attributes/templates/", ["include_low_priority": includeLowPriority ? true : nil, "groups": groups],
            limit: limit, page: page, identity: { HashKey($0.name) })
    }

    /// Returns a query for attributes with up to 31 days of values, newest first. It requests
    /// `GET attributes/with-values/`.
    ///
    /// - Parameters:
    ///   - groups: The groups whose attributes to include; nil for all groups that the token may read.
    ///   - names: The names of the attributes to include; nil for all.
    ///   - templates: The templates whose attributes to include; nil for all. Pass either `templates` or `names`.
    ///   - manual: Whether to include only attributes that the user tracks manually.
    ///   - days: The number of days, from 1 to 31. If it is nil, only the last day is included.
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
                "days": days.map { min(max($0, 1), ExistAPI.mostDaysPerRequest) }, "date_max": last,
            ], limit: limit, page: page, identity: { HashKey($0.name) })
    }

    /// Returns a query for all values of one attribute, newest first. It requests `GET attributes/values/`.
    ///
    /// The response does not contain the type of the values, so integers and decimals are decoded as the service wrote
    /// them. ``ExistAPI/history(of:through:)`` converts the values to the attribute's type.
    ///
    /// - Parameters:
    ///   - attribute: The name of the attribute.
    ///   - last: The last day. The default is the newest day that has a value.
    ///   - limit: The maximum number of values per page, at most 100.
    ///   - page: The number of the page, starting at 1.
    public static func values(
        of attribute: String, through last: ExistDay? = nil, limit: Int? = nil, page: Int = 1
    ) -> ExistQuery<Attribute.DayValue> {
        ExistQuery<Attribute.DayValue>(
            "attributes/values/", ["attribute": attribute, "date_max": last], limit: limit, page: page,
            identity: { HashKey(and: $0.day) })
    }
}

/// A template from which attributes are created. Attributes with the same template mean the same for every user
/// (<https://developer.exist.io/reference/object_types/>).
public struct AttributeTemplate: Sendable, Equatable {
    /// The name that identifies the template in requests.
    public var name: String
    /// The display name of the template.
    public var label: String
    /// The group that the template belongs to.
    public var group: AttributeGroup
    /// The template's position in its group. A smaller number comes earlier. Exist calls 10 or more a “low priority”.
    public var priority: Int
    /// The type of the values that the template's attributes have.
    public var valueType: ValueType
    /// The service's description of ``valueType``.
    public var valueTypeDescription: String?

    /// Creates a template for use in tests.
    public init(
        name: String, label: String? = nil, group: AttributeGroup, priority: Int = 1, valueType: ValueType,
        valueTypeDescription: String? = nil
    ) {
        self.name = name
        self.label = label ?? name
        self.group = group
        self.priority = priority
        self.valueType = valueType
        self.valueTypeDescription = valueTypeDescription
    }
}

extension AttributeTemplate: Readable, Encodable {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        let attribute = try Attribute(reading: source)
        self.init(
            name: attribute.name, label: attribute.label, group: attribute.group, priority: attribute.priority,
            valueType: attribute.valueType, valueTypeDescription: attribute.valueTypeDescription)
    }

    private enum CodingKeys: String, CodingKey {
        case name, label, group, priority
        case valueType = "value_type"
        case valueTypeDescription = "value_type_description"
    }
}

extension ExistAPI {
    /// The days that a call still has to fetch. They are fetched from the newest to the oldest.
    struct ValueWindow: Sendable {
        var names: [String]?
        var first: ExistDay?
        var last: ExistDay?
        var wanted: Int
        var limit: Int?
    }

    private func fetchWindows(
        _ window: ValueWindow, after newer: [Attribute], _ meter: BudgetMeter
    ) -> Promise<AttributesOutput> {
        let size = min(window.wanted, Self.mostDaysPerRequest)
        let query = ExistQuery<Attribute>.attributesWithValues(names: window.names, days: size, through: window.last)
        return allPages(query, charging: meter).then(on: nil) { decoded -> Promise<AttributesOutput> in
            let all = newer.addingOlder(decoded.value.results)
            let oldest = decoded.value.results.lazy.flatMap(\.values).map(\.day).min()
            var next = window
            next.last = oldest?.advanced(by: -1)
            next.wanted -= size
            guard let oldest, next.wanted > 0, window.first.map({ $0 < oldest }) != false else {
                let kept = all.keepingDays(from: window.first, atMost: window.limit)
                return .value((attributes: kept, response: decoded.response.urlResponse))
            }
            return self.fetchWindows(next, after: all, meter)
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

/// Something that Exist tracks for a user, such as steps or mood. The model contains an entry for every day whose value
/// was requested (<https://developer.exist.io/reference/object_types/#attribute>).
public struct Attribute: Sendable, Equatable {
    /// The template from which the attribute was created; nil for a custom attribute.
    public var template: String?
    /// The name that identifies the attribute in requests.
    public var name: String
    /// The display name of the attribute. It can be any text.
    public var label: String
    /// The group that the attribute belongs to.
    public var group: AttributeGroup
    /// The service that owns the attribute; nil if no service owns it. Only the owner may write values.
    public var serviceInfo: AttributeService?
    /// Whether the attribute is in use; nil if the service does not specify it.
    public var active: Bool?
    /// The attribute's position in its group. A smaller number comes earlier. Exist calls 10 or more a “low priority”.
    public var priority: Int
    /// Whether the user tracks the attribute manually; nil if the service does not specify it.
    public var manual: Bool?
    /// The type of the attribute's values.
    public var valueType: ValueType
    /// The service's description of ``valueType``.
    public var valueTypeDescription: String?
    /// The services that could own the attribute; empty if the service's response does not list them.
    public var availableServices: [AttributeService]
    /// The values, newest first. There is an entry for every requested day; the list is empty if no values were
    /// requested.
    public var values: [DayValue]
    /// The entries of ``values`` that could not be decoded, with the reasons. If only the value of an entry could not
    /// be decoded, its day is in ``values``, without a value.
    public var unreadableValues: [UnreadableItem]

    /// The name of the service that owns and updates the attribute.
    public var service: String? { serviceInfo?.name }

    /// A value of the attribute, together with its day.
    public typealias DayValue = DatedValue<AttributeValue>

    /// Creates an attribute for use in tests.
    public init(
        name: String, label: String? = nil, group: AttributeGroup, valueType: ValueType, values: [DayValue] = [],
        template: String? = nil, serviceInfo: AttributeService? = nil, active: Bool? = true, priority: Int = 1,
        manual: Bool? = nil, valueTypeDescription: String? = nil, availableServices: [AttributeService] = []
    ) {
        self.template = template
        self.name = name
        self.label = label ?? name
        self.group = group
        self.serviceInfo = serviceInfo
        self.active = active
        self.priority = priority
        self.manual = manual
        self.valueType = valueType
        self.valueTypeDescription = valueTypeDescription
        self.availableServices = availableServices
        self.values = values
        self.unreadableValues = []
    }
}

/// A group of attributes, such as Sleep.
public struct AttributeGroup: Sendable, Hashable, Encodable {
    /// The name that identifies the group in requests.
    public var name: String
    /// The display name of the group.
    public var label: String
    /// The position of the group among the groups. A smaller number comes earlier.
    public var priority: Int

    /// Creates a group for use in tests.
    public init(name: String, label: String? = nil, priority: Int = 0) {
        self.name = name
        self.label = label ?? name
        self.priority = priority
    }
}

/// A service that can own attributes and update their values.
public struct AttributeService: Sendable, Hashable, Encodable {
    /// The name that identifies the service in requests.
    public var name: String
    /// The display name of the service.
    public var label: String

    /// Creates a service for use in tests.
    public init(name: String, label: String? = nil) {
        self.name = name
        self.label = label ?? name
    }
}

extension Attribute: Readable, Encodable {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        template = fields.text("template")
        name = try fields.required("name").lenientText()
        label = fields.text("label") ?? name
        group = fields.read(AttributeGroup.self, "group") ?? AttributeGroup(name: "")
        serviceInfo = fields.read(AttributeService.self, "service")
        active = fields.flag("active")
        priority = fields.int("priority") ?? 0
        manual = fields.flag("manual")
        let type = fields.int("value_type")
        valueType = type.map(ValueType.init(rawValue:)) ?? .unknown(-1)
        valueTypeDescription = fields.text("value_type_description")
        availableServices = fields.lenientList("available_services") { (item) throws(TapeFailure) in
            try AttributeService(reading: item)
        }
        values = []
        unreadableValues = []
        guard let list = fields.present("values") else { return }
        do throws(TapeFailure) {
            (values, unreadableValues) = try valueType.values(in: list)
        } catch {
            unreadableValues.add(0) { list.reason(error) }
        }
    }

    private enum CodingKeys: String, CodingKey {
        case template, name, label, group, active, priority, manual
        case valueType = "value_type"
        case valueTypeDescription = "value_type_description"
        case values
        case serviceInfo = "service"
        case availableServices = "available_services"
    }
}

extension AttributeGroup: Readable {
    /// Decodes a group from an object, or from a text that is only the group's name. Some responses contain only the
    /// name.
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        guard source.kind == .object else {
            self.init(name: try source.lenientText())
            return
        }
        var fields = try source.fields()
        self.init(
            name: try fields.required("name").text(), label: fields.text("label"),
            priority: fields.int("priority") ?? 0)
    }
}

extension AttributeService: Readable {
    /// Decodes a service from an object, or from a text that is only the service's name, as in older responses.
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        guard source.kind == .object else {
            self.init(name: try source.lenientText())
            return
        }
        var fields = try source.fields()
        self.init(name: try fields.required("name").text(), label: fields.text("label"))
    }
}
