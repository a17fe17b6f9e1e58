/// A permission to read or to write one group; writing does not include reading. See
/// <https://developer.exist.io/reference/authentication/oauth2/>.
public struct ExistScope: RawRepresentable, Hashable, Sendable {
    /// The name of the scope, such as `mood_read`.
    public let rawValue: String

    /// Creates a scope from its name, which may be newer than ``all``.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Returns the scope for reading a group, such as `mood`.
    public static func read(_ group: String) -> ExistScope { ExistScope(rawValue: "\(group)_read") }

    /// Returns the scope for owning, creating, and updating attributes of a group, such as `mood`. The group `manual`
    /// covers manually tracked attributes of any group, and `custom` covers tags.
    public static func write(_ group: String) -> ExistScope { ExistScope(rawValue: "\(group)_write") }

    /// The names of the groups that have scopes.
    public static let groups = [
        "activity", "productivity", "mood", "sleep", "workouts", "events", "finance", "food", "health", "location",
        "media", "social", "weather", "symptoms", "medication", "custom", "manual",
    ]

    /// All known scopes, for reading and for writing.
    public static let all = groups.flatMap { [read($0), write($0)] }
}
