/// A group of attributes, which determines list order and scopes.
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
