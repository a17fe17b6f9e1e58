import Foundation

struct ExistService: Hashable, Sendable {
    let name: String
    let label: String

    /// Creates a service from its name; the default label of `my_tracker` is "My Tracker".
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
