import Foundation
import PledgeCoding
import PledgeHTTP

/// https://developer.exist.io/reference/attributes/
extension ExistAPI {
    /// The maximum number of days of values that the service sends in one response.
    package static let mostDaysPerRequest = 31

    /// The maximum number of days of values per call: each month is a request, within ``limit``.
    static let mostDaysPerCall = 3660

    /// Fetches attributes with their values. Wraps `GET attributes/with-values/`, page by page, and month by month if
    /// more days are requested than the service returns at once.
    ///
    /// - Parameters:
    ///   - names: The names of the attributes; nil for all the token may read.
    ///   - days: The maximum number of days, the newest first, up to 3,660. The default is 7, or all from `first`
    ///     through `last`. A request returns 31 days.
    ///   - first: The first day.
    ///   - last: The last day. The default is the current day in the user's time zone.
    /// - Returns: The known attributes in the service's order, each with a value or nil for every day, newest first.
    public func attributes(
        names: [String]? = nil, days: Int? = nil, from first: ExistDay? = nil, through last: ExistDay? = nil
    ) -> Promise<AttributesOutput> {
        if names?.isEmpty == true { return .value((attributes: [], response: noResponse)) }
        if let days, days < 1 { return .invalid("\(days) days of values were requested: the minimum is 1.") }
        var asked = days ?? 7
        if let first {
            let span = first.distance(to: last ?? today) + 1
            guard span > 0 else {
                return .invalid("The first day, \(first), is after the last, \(last ?? today): swap them.")
            }
            asked = min(days ?? .max, span)
        }
        guard asked <= Self.mostDaysPerCall else {
            return .invalid(
                "\(asked) days of values were requested, which is more than ten years: request fewer, or use history(of:)."
            )
        }
        // Request one more if the service determines the current day, which may be a day ahead of the device's.
        let wanted = min(days ?? .max, asked + (first != nil && last == nil ? 1 : 0))
        let window = ValueWindow(names: names, first: first, last: last, wanted: wanted, limit: days)
        return read(window, after: [], meter)
    }

    /// Fetches all attributes with their values on one day, by default the current one in the user's time zone,
    /// whatever the device's clock shows. Wraps `GET attributes/with-values/`.
    public func attributes(day: ExistDay?) -> Promise<AttributesOutput> {
        walk(.attributesWithValues(days: 1, through: day))
            .map(on: nil) { (attributes: $0.value.results, response: $0.response.urlResponse) }
    }

    /// Fetches an attribute's history, newest first, by default to the newest day, with values of its type.
    /// Wraps `GET attributes/values/`.
    public func history(of attribute: Attribute, through last: ExistDay? = nil) -> Promise<HistoryOutput> {
        walk(.values(of: attribute.name, through: last)).map(on: nil) { decoded in
            var whole = attribute
            whole.values = decoded.value.results.map { item in
                Attribute.DayValue(day: item.day, value: item.value?.read(as: attribute.valueType))
            }
            whole.unreadableValues = decoded.value.unreadable
            return (attribute: whole, response: decoded.response.urlResponse)
        }
    }

    /// Fetches the custom tags that are set on a day. Wraps `GET attributes/with-values/?groups=custom`.
    ///
    /// The default is the current day in the user's time zone. Display tags' labels; use their names in requests.
    public func tags(day: ExistDay? = nil) -> Promise<TagsOutput> {
        walk(.attributesWithValues(groups: ["custom"], days: 1, through: day)).map(on: nil) { decoded in
            let set = decoded.value.results.filter { $0.valueType == .boolean && $0.values.first?.value?.bool == true }
            return (tags: set, response: decoded.response.urlResponse)
        }
    }
}

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
        ExistQuery<Attribute>(
            "attributes/",
            [
                "groups": groups, "attributes": names, "exclude_custom": excludeCustom ? true : nil, "manual": manual,
                "include_inactive": includeInactive ? true : nil,
                "include_low_priority": includeLowPriority ? true : nil, "owned": owned ? true : nil,
            ], limit: limit, page: page, identity: { HashKey($0.name) })
    }

    /// A query for the attributes this client owns, without values, with the parameters of
    /// ``attributes(groups:names:excludeCustom:manual:includeInactive:includeLowPriority:owned:limit:page:)``.
    /// `GET attributes/owned/`
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

    /// A query for the templates of attributes. `GET attributes/templates/`
    ///
    /// - Parameters:
    ///   - groups: The groups to include; nil for all.
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
                "days": days.map { min(max($0, 1), ExistAPI.mostDaysPerRequest) }, "date_max": last?.description,
            ], limit: limit, page: page, identity: { HashKey($0.name) })
    }

    /// A query for the whole history of one attribute, newest first. `GET attributes/values/`
    ///
    /// The service does not specify the type of the values, so they are decoded unchanged;
    /// ``ExistAPI/history(of:through:)`` returns typed ones.
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
            identity: { HashKey(and: $0.day) })
    }
}

/// A template, from which attributes are created that mean the same for every user
/// (<https://developer.exist.io/reference/object_types/>).
public struct AttributeTemplate: Sendable, Equatable {
    /// The name that identifies the template in requests.
    public var name: String
    /// The display name of the template.
    public var label: String
    /// The group the template belongs to.
    public var group: AttributeGroup
    /// The template's position in its group; 10 or more is "low priority".
    public var priority: Int
    /// The type of the values.
    public var valueType: ValueType
    /// The service's description of the type.
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

    private enum CodingKeys: String, SnakeCaseKey {
        case name, label, group, priority, valueType, valueTypeDescription
    }
}

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
        let size = min(window.wanted, Self.mostDaysPerRequest)
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

/// Something Exist tracks for a user, such as steps or mood, with its values by day if they were requested
/// (<https://developer.exist.io/reference/object_types/#attribute>).
public struct Attribute: Sendable, Equatable {
    /// The template the attribute was created from; nil for custom attributes.
    public var template: String?
    /// The name that identifies the attribute in requests.
    public var name: String
    /// The display name of the attribute, which can be any text.
    public var label: String
    /// The group the attribute belongs to.
    public var group: AttributeGroup
    /// The service that owns the attribute, and so may write it; nil if there is none.
    public var serviceInfo: AttributeService?
    /// Whether the attribute is in use.
    public var active: Bool?
    /// The attribute's position in its group; smaller is earlier, and 10 or more is "low priority".
    public var priority: Int
    /// Whether the attribute is tracked manually by the user.
    public var manual: Bool?
    /// The type of the attribute's values.
    public var valueType: ValueType
    /// The service's description of the type.
    public var valueTypeDescription: String?
    /// The services that could own the attribute; empty if the service does not specify them.
    public var availableServices: [AttributeService]
    /// The values, newest first, one for every requested day; empty if no values were requested.
    public var values: [DayValue]
    /// The values that could not be decoded.
    public var unreadableValues: [UnreadableItem]

    /// The name of the service that owns and updates the attribute.
    public var service: String? { serviceInfo?.name }

    /// A value of an attribute and its day.
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
    /// The position of the group; smaller is earlier.
    public var priority: Int

    /// Creates a group for use in tests.
    public init(name: String, label: String? = nil, priority: Int = 0) {
        self.name = name
        self.label = label ?? name
        self.priority = priority
    }
}

/// A service that updates attributes.
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
        template = try? fields.text("template")
        name = try fields.required("name").lenientText()
        label = (try? fields.text("label")) ?? name
        group = (try? fields.read(AttributeGroup.self, "group")) ?? AttributeGroup(name: "")
        serviceInfo = try? fields.read(AttributeService.self, "service")
        active = fields.flag("active")
        priority = fields.optional("priority") { (value) throws(TapeFailure) in try value.lenientInt() } ?? 0
        manual = fields.flag("manual")
        let type = fields.optional("value_type") { (value) throws(TapeFailure) in try value.lenientInt() }
        valueType = type.map(ValueType.init(rawValue:)) ?? .unknown(-1)
        valueTypeDescription = try? fields.text("value_type_description")
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

    private enum CodingKeys: String, SnakeCaseKey {
        case template, name, label, group, active, priority, manual, valueType, valueTypeDescription, values
        case serviceInfo = "service"
        case availableServices
    }
}

extension AttributeGroup: Readable {
    /// Decodes an object, or only a name, as some responses contain it.
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        guard source.kind == .object else {
            self.init(name: try source.lenientText())
            return
        }
        var fields = try source.fields()
        self.init(
            name: try fields.required("name").text(), label: try? fields.text("label"),
            priority: (try? fields.int("priority")) ?? 0)
    }
}

extension AttributeService: Readable {
    /// Decodes an object, or only a name, as older responses contain it.
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        guard source.kind == .object else {
            self.init(name: try source.lenientText())
            return
        }
        var fields = try source.fields()
        self.init(name: try fields.required("name").text(), label: try? fields.text("label"))
    }
}
