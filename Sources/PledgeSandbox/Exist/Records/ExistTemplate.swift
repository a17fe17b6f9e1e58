/// A built-in attribute of the service, whether or not the user has it.
struct ExistTemplate: Sendable {
    let name: String
    let label: String
    let group: ExistGroup
    let priority: Int
    let valueType: ExistValueType

    init(_ name: String, _ label: String, _ group: ExistGroup, _ priority: Int, _ valueType: ExistValueType) {
        self.name = name
        self.label = label
        self.group = group
        self.priority = priority
        self.valueType = valueType
    }

    var isLowPriority: Bool {
        priority >= 10
    }

    var json: SandboxJSON {
        [
            "name": .string(name), "label": .string(label), "group": group.json, "priority": .integer(priority),
            "value_type": .integer(valueType.rawValue), "value_type_description": .string(valueType.label),
        ]
    }

    static func named(_ name: String) -> ExistTemplate? {
        byName[name]
    }

    private static let byName = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }

    /// All templates, as the service publishes them.
    static let all: [ExistTemplate] = [
        ExistTemplate("steps", "Steps", .activity, 1, .quantity),
        ExistTemplate("steps_active_min", "Active minutes", .activity, 2, .duration),
        ExistTemplate("steps_elevation", "Elevation", .activity, 3, .decimal),
        ExistTemplate("floors", "Floors climbed", .activity, 4, .quantity),
        ExistTemplate("steps_distance", "Distance walked", .activity, 5, .decimal),
        ExistTemplate("stand_hours", "Stand hours", .activity, 6, .quantity),
        ExistTemplate("cycle_min", "Cycling time", .activity, 7, .duration),
        ExistTemplate("cycle_distance", "Cycling distance", .activity, 8, .decimal),
        ExistTemplate("active_energy", "Active energy", .activity, 9, .decimal),
        ExistTemplate("workouts", "Workouts", .workouts, 1, .quantity),
        ExistTemplate("workouts_min", "Workout time", .workouts, 2, .duration),
        ExistTemplate("workouts_distance", "Workout distance", .workouts, 3, .decimal),
        ExistTemplate("productive_min", "Productive time", .productivity, 1, .duration),
        ExistTemplate("neutral_min", "Neutral time", .productivity, 2, .duration),
        ExistTemplate("distracting_min", "Distracting time", .productivity, 3, .duration),
        ExistTemplate("commits", "Commits", .productivity, 4, .quantity),
        ExistTemplate("tasks_completed", "Tasks completed", .productivity, 5, .quantity),
        ExistTemplate("words_written", "Words written", .productivity, 6, .quantity),
        ExistTemplate("emails_sent", "Emails sent", .productivity, 7, .quantity),
        ExistTemplate("emails_received", "Emails received", .productivity, 8, .quantity),
        ExistTemplate("pomodoros_min", "Pomodoro time", .productivity, 9, .duration),
        ExistTemplate("keystrokes", "Keystrokes", .productivity, 9, .quantity),
        ExistTemplate("coffees", "Coffees", .food, 1, .quantity),
        ExistTemplate("alcoholic_drinks", "Alcoholic drinks", .food, 2, .quantity),
        ExistTemplate("energy", "Energy eaten", .food, 3, .decimal),
        ExistTemplate("water", "Water", .food, 4, .quantity),
        ExistTemplate("carbohydrates", "Carbohydrates", .food, 5, .decimal),
        ExistTemplate("fat", "Fat", .food, 6, .decimal),
        ExistTemplate("fibre", "Fibre", .food, 7, .decimal),
        ExistTemplate("protein", "Protein", .food, 8, .decimal),
        ExistTemplate("sugar", "Sugar", .food, 9, .decimal),
        ExistTemplate("sodium", "Sodium", .food, 9, .decimal),
        ExistTemplate("cholesterol", "Cholesterol", .food, 9, .decimal),
        ExistTemplate("caffeine", "Caffeine", .food, 9, .decimal),
        ExistTemplate("money_spent", "Money spent", .finance, 1, .decimal),
        ExistTemplate("mood", "Mood", .mood, 1, .scale),
        ExistTemplate("mood_note", "Mood note", .mood, 4, .text),
        ExistTemplate("energy_level", "Energy level", .mood, 2, .scale),
        ExistTemplate("stress_level", "Stress level", .mood, 3, .scale),
        ExistTemplate("sleep", "Time asleep", .sleep, 1, .duration),
        ExistTemplate("time_in_bed", "Time in bed", .sleep, 2, .duration),
        ExistTemplate("sleep_light", "Light sleep", .sleep, 3, .duration),
        ExistTemplate("sleep_deep", "Deep sleep", .sleep, 4, .duration),
        ExistTemplate("sleep_rem", "REM sleep", .sleep, 5, .duration),
        ExistTemplate("sleep_start", "Bedtime", .sleep, 6, .timeFromMidday),
        ExistTemplate("sleep_end", "Wake time", .sleep, 7, .timeOfDay),
        ExistTemplate("sleep_awakenings", "Awakenings", .sleep, 8, .quantity),
        ExistTemplate("events", "Events", .events, 1, .quantity),
        ExistTemplate("events_duration", "Time in events", .events, 2, .duration),
        ExistTemplate("weight", "Weight", .health, 1, .decimal),
        ExistTemplate("body_fat", "Body fat", .health, 2, .percentage),
        ExistTemplate("lean_mass", "Lean mass", .health, 3, .decimal),
        ExistTemplate("heartrate", "Heart rate", .health, 4, .quantity),
        ExistTemplate("heartrate_max", "Max heart rate", .health, 5, .quantity),
        ExistTemplate("heartrate_variability", "Heart rate variability", .health, 6, .quantity),
        ExistTemplate("heartrate_resting", "Resting heart rate", .health, 7, .quantity),
        ExistTemplate("meditation_min", "Meditation", .health, 8, .duration),
        ExistTemplate("menstrual_flow", "Menstrual flow", .health, 18, .quantity),
        ExistTemplate("sexual_activity", "Sexual activity", .health, 19, .quantity),
        ExistTemplate("checkins", "Check-ins", .location, 10, .quantity),
        ExistTemplate("location", "Location", .location, 11, .text),
        ExistTemplate("tracks", "Tracks played", .media, 1, .quantity),
        ExistTemplate("articles_read", "Articles read", .media, 2, .quantity),
        ExistTemplate("pages_read", "Pages read", .media, 3, .quantity),
        ExistTemplate("mobile_screen_min", "Mobile screen time", .media, 4, .duration),
        ExistTemplate("gaming_min", "Gaming", .media, 5, .duration),
        ExistTemplate("tv_min", "TV", .media, 6, .duration),
        ExistTemplate("movies_min", "Movies", .media, 7, .duration),
        ExistTemplate("facebook_posts", "Facebook posts", .social, 10, .quantity),
        ExistTemplate("facebook_comments", "Facebook comments", .social, 11, .quantity),
        ExistTemplate("facebook_reactions", "Facebook reactions", .social, 12, .quantity),
        ExistTemplate("mastodon_posts", "Mastodon posts", .social, 4, .quantity),
        ExistTemplate("mastodon_replies", "Mastodon replies", .social, 5, .quantity),
        ExistTemplate("mastodon_boosts", "Mastodon boosts", .social, 6, .quantity),
        ExistTemplate("mastodon_favourites", "Mastodon favourites", .social, 7, .quantity),
        ExistTemplate("tweets", "Tweets", .twitter, 10, .quantity),
        ExistTemplate("twitter_mentions", "Twitter mentions", .twitter, 11, .quantity),
        ExistTemplate("twitter_username", "Twitter username", .twitter, 12, .text),
        ExistTemplate("weather_temp_max", "High temperature", .weather, 1, .decimal),
        ExistTemplate("weather_temp_min", "Low temperature", .weather, 2, .decimal),
        ExistTemplate("weather_precipitation", "Precipitation", .weather, 3, .decimal),
        ExistTemplate("weather_cloud_cover", "Cloud cover", .weather, 4, .percentage),
        ExistTemplate("weather_wind_speed", "Wind speed", .weather, 5, .decimal),
        ExistTemplate("weather_summary", "Weather summary", .weather, 6, .text),
        ExistTemplate("weather_icon", "Weather icon", .weather, 16, .text),
        ExistTemplate("day_length", "Day length", .weather, 8, .duration),
    ]
}
