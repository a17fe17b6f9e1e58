import Foundation

/// The user's attributes and their values. A value that a client has written replaces the generated value in the diary.
struct ExistRecords: Sendable {
    private(set) var attributes: [ExistAttribute] { didSet { revision += 1 } }
    private var written: [String: [CalendarDay: ServerJSON]] = [:] { didSet { revision += 1 } }
    var hidesInactiveValues = false
    /// The number of changes so far. Results that were cached for another number are outdated.
    private(set) var revision = 0

    private let diary: ExistDiary?
    private static let firstNames = Set(ExistFirstAttributes.attributes.map(\.name))

    init(isEmpty: Bool = false) {
        attributes = isEmpty ? [] : ExistFirstAttributes.attributes.sorted(by: ExistAttribute.isInOrder)
        diary = isEmpty ? nil : ExistDiary()
    }

    subscript(name: String) -> ExistAttribute? {
        attributes.first { $0.name == name }
    }

    func attribute(template: String) -> ExistAttribute? {
        attributes.first { $0.template == template }
    }

    mutating func save(_ attribute: ExistAttribute) {
        attributes.removeAll { $0.name == attribute.name }
        attributes.append(attribute)
        attributes.sort(by: ExistAttribute.isInOrder)
    }

    mutating func remove(_ name: String) {
        attributes.removeAll { $0.name == name }
        written[name] = nil
    }

    mutating func write(_ value: ServerJSON, of name: String, on day: CalendarDay) {
        written[name, default: [:]][day] = value
    }

    /// Returns the value of an attribute on a day; `.null` if there is no value.
    func value(of attribute: ExistAttribute, on day: CalendarDay, today: CalendarDay) -> ServerJSON {
        if let value = written[attribute.name]?[day] { return value }
        if let value = measured(attribute, on: day, today: today) { return value }
        // If a count has no value for today, nothing was counted yet, so the value is 0.
        return day == today && attribute.valueType == .quantity ? 0 : .null
    }

    private func measured(_ attribute: ExistAttribute, on day: CalendarDay, today: CalendarDay) -> ServerJSON? {
        guard Self.firstNames.contains(attribute.name),
            day <= today, day > today - ExistDiary.length, let value = diary?.value(attribute.name, on: day)
        else { return nil }
        return day == today ? ExistDiary.atMidday(value, of: attribute) : value
    }

    func firstDay(of name: String, today: CalendarDay) -> CalendarDay {
        min(diary == nil ? today : today - (ExistDiary.length - 1), written[name]?.keys.min() ?? today)
    }
}

/// An attribute of the user, or a template for attributes. A template has no owner and no values.
struct ExistAttribute: Sendable {
    var template: String?
    var name: String
    var label: String
    var group: ExistGroup
    // Exist gives all custom attributes this priority.
    var priority = 2
    var valueType: ExistValueType
    var manual = false
    var service: ExistService?
    var availableServices: [ExistService] = []
    var isActive = true

    var isLowPriority: Bool { priority >= 10 }

    /// The members of the JSON object that describes the attribute in an insight.
    var summary: [String: ServerJSON] {
        [
            "name": .string(name), "label": .string(label), "group": group.json, "priority": .integer(priority),
            "value_type": .integer(valueType.rawValue), "value_type_description": .string(valueType.label),
        ]
    }

    /// The members of the attribute's JSON object in `attributes/with-values/`, without the values.
    var members: [String: ServerJSON] {
        summary.merging([
            "template": template.map(ServerJSON.string) ?? .null,
            "service": service?.json ?? .null,
            "active": .bool(isActive),
            "manual": .bool(manual),
        ]) { $1 }
    }

    var json: ServerJSON {
        .object(members.merging(["available_services": .array(availableServices.map(\.json))]) { $1 })
    }

    static func isInOrder(_ one: ExistAttribute, _ other: ExistAttribute) -> Bool {
        (one.group.priority, one.group.name, one.priority, one.name)
            < (other.group.priority, other.group.name, other.priority, other.name)
    }
}

extension ExistAttribute {
    /// Returns an attribute that is made from this template. `others` are the services that could own the attribute
    /// instead of `owner`.
    func owned(by owner: ExistService, manual: Bool, others: [ExistService] = []) -> ExistAttribute {
        var attribute = self
        attribute.manual = manual
        attribute.service = owner
        attribute.availableServices = manual ? others : [owner] + others
        return attribute
    }

    mutating func acquire(for newOwner: ExistService, manual: Bool?) {
        service = newOwner
        isActive = true
        if !availableServices.contains(newOwner) { availableServices.append(newOwner) }
        if let manual { self.manual = manual }
    }

    /// Takes the attribute from its owner, and gives it to another available service. If there is no such service, the
    /// attribute becomes inactive.
    mutating func release() {
        availableServices.removeAll { $0 == service }
        service = availableServices.first
        isActive = service != nil
    }
}

/// A group of attributes. It determines the position of the attributes in lists, and the scopes for them.
enum ExistGroup: String, CaseIterable {
    case activity, workouts, productivity, sleep, custom, mood, health, symptoms, medication, food, events, media
    case social, twitter, finance, location, weather

    var name: String { rawValue }

    var label: String {
        switch self {
        case .custom: "Custom tags"
        case .health: "Health and body"
        case .food: "Food and drink"
        default: name.prefix(1).uppercased() + name.dropFirst()
        }
    }

    var priority: Int {
        switch self {
        case .activity: 1
        case .workouts, .productivity: 2
        case .sleep, .custom, .mood: 3
        case .health, .symptoms, .medication: 5
        case .food, .events: 6
        case .media, .social, .twitter: 7
        case .finance, .location: 8
        case .weather: 9
        }
    }

    var json: ServerJSON { ["name": .string(name), "label": .string(label), "priority": .integer(priority)] }
}

struct ExistService: Hashable, Sendable {
    let name: String
    let label: String

    /// Creates a service from its name. The label is made from the name if it isn't known: for `my_tracker`, it is "My
    /// Tracker".
    init(_ name: String) {
        self.name = name
        label =
            Self.labels[name]
            ?? name.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: " ")
    }

    var json: ServerJSON { ["name": .string(name), "label": .string(label)] }

    private static let labels = [
        "exist_for_ios": "Exist for iOS", "rescuetime": "RescueTime", "lastfm": "Last.fm", "github": "GitHub",
        "google_calendar": "Google Calendar", "apple_health": "Apple Health",
    ]
}

/// The type of an attribute's values. The raw value is the number that Exist uses for the type.
enum ExistValueType: Int, Sendable {
    case quantity = 0
    case decimal = 1
    case text = 2
    case duration = 3
    case timeOfDay = 4
    case percentage = 5
    case timeFromMidday = 6
    case boolean = 7
    case scale = 8

    var label: String {
        switch self {
        case .quantity: "Integer"
        case .decimal: "Float"
        case .text: "String"
        case .duration: "Period (min)"
        case .timeOfDay: "Time of day (min from midnight)"
        case .percentage: "Percentage"
        case .timeFromMidday: "Time of day (min from midday)"
        case .boolean: "Boolean"
        case .scale: "Integer scale (1-9)"
        }
    }

    var isNumeric: Bool { self != .text && self != .boolean }
}

extension ExistValueType {
    /// Returns the value in the form in which it is stored. Throws an error if the value has the wrong type. Like
    /// Exist, this checks little more than the basic type.
    func accepting(_ value: ServerJSON) throws(ExistItemError) -> ServerJSON {
        switch self {
        case .quantity, .duration, .timeOfDay, .timeFromMidday, .scale:
            if value.integer != nil { return value }
            throw .validation(
                value.double == nil ? "Value is not an integer" : "Cannot apply a float to an integer type")
        case .decimal, .percentage:
            if value.double != nil { return value }
            throw .validation("Value is not a number")
        case .text:
            if value.string != nil { return value }
            throw .validation("Value is not a string")
        case .boolean:
            if let truth = value.bool { return truth ? 1 : 0 }
            if value == 0 || value == 1 { return value }
            throw .validation("Value is not a boolean")
        }
    }

    /// The reason why values of this type cannot be incremented; nil if they can be incremented.
    var incrementRefusal: String? {
        switch self {
        case .quantity, .decimal, .duration, .percentage: nil
        case .text: "Cannot increment a string"
        case .timeOfDay, .timeFromMidday: "Cannot increment a time of day"
        case .boolean: "Cannot increment a boolean"
        case .scale: "Cannot increment a scale"
        }
    }
}
