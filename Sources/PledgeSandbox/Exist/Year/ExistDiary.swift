/// The data of the year before anything was written, generated on demand.
final class ExistDiary: Sendable {
    static let length = 365

    private let memory = Protected<[Int: DiaryDay]>([:])

    /// Returns a measurement, which is the same on every run, whatever the current day.
    func value(_ name: String, on day: CalendarDay) -> ServerJSON? {
        memory.withLock { $0[day.number].filled { DiaryDay(day) } }.values[name]
    }

    /// Returns a day's value as of midday: morning values in full, half of counts, no evening ratings.
    static func atMidday(_ value: ServerJSON, of attribute: ExistAttribute) -> ServerJSON? {
        if [.sleep, .weather, .events, .workouts].contains(attribute.group) || attribute.name.hasPrefix("heartrate")
            || ["weight", "body_fat"].contains(attribute.name)
        {
            return value
        }
        if [.mood, .custom].contains(attribute.group) { return nil }
        switch value {
        case .integer(let number): return .integer(number / 2)
        case .number(let number): return .number((number * 50).rounded() / 100)
        default: return value
        }
    }
}
