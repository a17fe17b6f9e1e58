/// The year that happened before anything was written, made day by day when someone asks.
final class ExistDiary: Sendable {
    /// How many days the service remembers, today included.
    static let length = 365

    private let memory = Locked<[Int: DiaryDay]>([:])

    /// What was measured on a day; the same on every run, whatever day today is.
    func value(_ name: String, on day: CalendarDay) -> SandboxJSON? {
        memory.withLock { memory in
            if let known = memory[day.number] { return known.values[name] }
            let made = DiaryDay(day)
            memory[day.number] = made
            return made.values[name]
        }
    }

    /// What of a day's value is there by midday: what the morning brings in full, counts by half, evening answers not yet.
    static func atMidday(_ value: SandboxJSON, of attribute: ExistAttribute) -> SandboxJSON? {
        switch attribute.group.name {
        case "sleep", "weather", "events", "workouts": return value
        case "mood", "custom": return nil
        default: break
        }
        if attribute.name.hasPrefix("heartrate") || attribute.name == "weight" || attribute.name == "body_fat" {
            return value
        }
        switch value {
        case .integer(let number): return .integer(number / 2)
        case .number(let number): return .number((number * 50).rounded() / 100)
        default: return value
        }
    }
}
