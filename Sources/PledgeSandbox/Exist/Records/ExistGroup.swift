/// A group of attributes, which determines list order and scopes.
struct ExistGroup: Hashable, Sendable {
    let name: String
    let label: String
    let priority: Int

    var json: ServerJSON { ["name": .string(name), "label": .string(label), "priority": .integer(priority)] }

    static let activity = ExistGroup(name: "activity", label: "Activity", priority: 1)
    static let workouts = ExistGroup(name: "workouts", label: "Workouts", priority: 2)
    static let productivity = ExistGroup(name: "productivity", label: "Productivity", priority: 2)
    static let sleep = ExistGroup(name: "sleep", label: "Sleep", priority: 3)
    static let custom = ExistGroup(name: "custom", label: "Custom tags", priority: 3)
    static let mood = ExistGroup(name: "mood", label: "Mood", priority: 3)
    static let health = ExistGroup(name: "health", label: "Health and body", priority: 5)
    static let symptoms = ExistGroup(name: "symptoms", label: "Symptoms", priority: 5)
    static let medication = ExistGroup(name: "medication", label: "Medication", priority: 5)
    static let food = ExistGroup(name: "food", label: "Food and drink", priority: 6)
    static let events = ExistGroup(name: "events", label: "Events", priority: 6)
    static let media = ExistGroup(name: "media", label: "Media", priority: 7)
    static let social = ExistGroup(name: "social", label: "Social", priority: 7)
    static let twitter = ExistGroup(name: "twitter", label: "Twitter", priority: 7)
    static let finance = ExistGroup(name: "finance", label: "Finance", priority: 8)
    static let location = ExistGroup(name: "location", label: "Location", priority: 8)
    static let weather = ExistGroup(name: "weather", label: "Weather", priority: 9)

    static let all = [
        activity, workouts, productivity, sleep, custom, mood, health, symptoms, medication, food, events, media,
        social,
        twitter, finance, location, weather,
    ]
}
