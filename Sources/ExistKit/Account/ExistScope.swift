/// What a token may do: read or write one group. A write scope does not include reading.
///
/// https://developer.exist.io/reference/authentication/oauth2/
public struct ExistScope: RawRepresentable, Hashable, Sendable {
    /// The name, such as `mood_read`.
    public let rawValue: String

    /// Any scope, also one that is newer than this list.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// To read a group, such as `mood`.
    public static func read(_ group: String) -> ExistScope { ExistScope(rawValue: "\(group)_read") }

    /// To own, make and update attributes of a group, such as `mood`; `manual` covers what is filled in by hand in any
    /// group, and `custom` the tags.
    public static func write(_ group: String) -> ExistScope { ExistScope(rawValue: "\(group)_write") }

    /// The groups that have scopes.
    public static let groups = [
        "activity", "productivity", "mood", "sleep", "workouts", "events", "finance", "food", "health", "location",
        "media", "social", "weather", "symptoms", "medication", "custom", "manual",
    ]

    /// Every scope there is, to read and to write.
    public static let all = groups.flatMap { [read($0), write($0)] }
}
