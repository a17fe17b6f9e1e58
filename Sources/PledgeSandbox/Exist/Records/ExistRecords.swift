/// The user's attributes, and the written values, which override the diary.
struct ExistRecords: Sendable {
    private(set) var attributes: [ExistAttribute] { didSet { revision += 1 } }
    private var written: [String: [CalendarDay: ServerJSON]] = [:] { didSet { revision += 1 } }
    var hidesInactiveValues = false
    /// The number of changes, which invalidates cached results.
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

    /// Returns the value of a day; `.null` if there is none.
    func value(of attribute: ExistAttribute, on day: CalendarDay, today: CalendarDay) -> ServerJSON {
        if let value = written[attribute.name]?[day] { return value }
        if let value = measured(attribute, on: day, today: today) { return value }
        // A count without a value today is 0 rather than unknown.
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
