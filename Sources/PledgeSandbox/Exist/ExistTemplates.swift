enum ExistTemplates {
    static let all: [ExistAttribute] = table.flatMap { group, rows in
        rows.map { name, label, priority, type in
            ExistAttribute(
                template: name, name: name, label: label, group: group, priority: priority, valueType: type)
        }
    }

    static func named(_ name: String) -> ExistAttribute? { all.first { $0.name == name } }

    private typealias Row = (name: String, label: String, priority: Int, type: ExistValueType)

    private static let table: KeyValuePairs<ExistGroup, [Row]> = [
        .activity: [
            ("steps", "Steps", 1, .quantity), ("steps_active_min", "Active minutes", 2, .duration),
            ("steps_elevation", "Elevation", 3, .decimal), ("floors", "Floors climbed", 4, .quantity),
            ("steps_distance", "Distance walked", 5, .decimal), ("stand_hours", "Stand hours", 6, .quantity),
            ("cycle_min", "Cycling time", 7, .duration), ("cycle_distance", "Cycling distance", 8, .decimal),
            ("active_energy", "Active energy", 9, .decimal),
        ],
        .workouts: [
            ("workouts", "Workouts", 1, .quantity), ("workouts_min", "Workout time", 2, .duration),
            ("workouts_distance", "Workout distance", 3, .decimal),
        ],
        .productivity: [
            ("productive_min", "Productive time", 1, .duration), ("neutral_min", "Neutral time", 2, .duration),
            ("distracting_min", "Distracting time", 3, .duration), ("commits", "Commits", 4, .quantity),
            ("tasks_completed", "Tasks completed", 5, .quantity), ("words_written", "Words written", 6, .quantity),
            ("emails_sent", "Emails sent", 7, .quantity), ("emails_received", "Emails received", 8, .quantity),
            ("pomodoros_min", "Pomodoro time", 9, .duration), ("keystrokes", "Keystrokes", 9, .quantity),
        ],
        .food: [
            ("coffees", "Coffees", 1, .quantity), ("alcoholic_drinks", "Alcoholic drinks", 2, .quantity),
            ("energy", "Energy eaten", 3, .decimal), ("water", "Water", 4, .quantity),
            ("carbohydrates", "Carbohydrates", 5, .decimal), ("fat", "Fat", 6, .decimal),
            ("fibre", "Fibre", 7, .decimal), ("protein", "Protein", 8, .decimal), ("sugar", "Sugar", 9, .decimal),
            ("sodium", "Sodium", 9, .decimal), ("cholesterol", "Cholesterol", 9, .decimal),
            ("caffeine", "Caffeine", 9, .decimal),
        ],
        .finance: [("money_spent", "Money spent", 1, .decimal)],
        .mood: [
            ("mood", "Mood", 1, .scale), ("mood_note", "Mood note", 4, .text),
            ("energy_level", "Energy level", 2, .scale), ("stress_level", "Stress level", 3, .scale),
        ],
        .sleep: [
            ("sleep", "Time asleep", 1, .duration), ("time_in_bed", "Time in bed", 2, .duration),
            ("sleep_light", "Light sleep", 3, .duration), ("sleep_deep", "Deep sleep", 4, .duration),
            ("sleep_rem", "REM sleep", 5, .duration), ("sleep_start", "Bedtime", 6, .timeFromMidday),
            ("sleep_end", "Wake time", 7, .timeOfDay), ("sleep_awakenings", "Awakenings", 8, .quantity),
        ],
        .events: [("events", "Events", 1, .quantity), ("events_duration", "Time in events", 2, .duration)],
        .health: [
            ("weight", "Weight", 1, .decimal), ("body_fat", "Body fat", 2, .percentage),
            ("lean_mass", "Lean mass", 3, .decimal), ("heartrate", "Heart rate", 4, .quantity),
            ("heartrate_max", "Max heart rate", 5, .quantity),
            ("heartrate_variability", "Heart rate variability", 6, .quantity),
            ("heartrate_resting", "Resting heart rate", 7, .quantity), ("meditation_min", "Meditation", 8, .duration),
            ("menstrual_flow", "Menstrual flow", 18, .quantity), ("sexual_activity", "Sexual activity", 19, .quantity),
        ],
        .location: [("checkins", "Check-ins", 10, .quantity), ("location", "Location", 11, .text)],
        .media: [
            ("tracks", "Tracks played", 1, .quantity), ("articles_read", "Articles read", 2, .quantity),
            ("pages_read", "Pages read", 3, .quantity), ("mobile_screen_min", "Mobile screen time", 4, .duration),
            ("gaming_min", "Gaming", 5, .duration), ("tv_min", "TV", 6, .duration),
            ("movies_min", "Movies", 7, .duration),
        ],
        .social: [
            ("facebook_posts", "Facebook posts", 10, .quantity),
            ("facebook_comments", "Facebook comments", 11, .quantity),
            ("facebook_reactions", "Facebook reactions", 12, .quantity),
            ("mastodon_posts", "Mastodon posts", 4, .quantity), ("mastodon_replies", "Mastodon replies", 5, .quantity),
            ("mastodon_boosts", "Mastodon boosts", 6, .quantity),
            ("mastodon_favourites", "Mastodon favourites", 7, .quantity),
        ],
        .twitter: [
            ("tweets", "Tweets", 10, .quantity), ("twitter_mentions", "Twitter mentions", 11, .quantity),
            ("twitter_username", "Twitter username", 12, .text),
        ],
        .weather: [
            ("weather_temp_max", "High temperature", 1, .decimal), ("weather_temp_min", "Low temperature", 2, .decimal),
            ("weather_precipitation", "Precipitation", 3, .decimal),
            ("weather_cloud_cover", "Cloud cover", 4, .percentage), ("weather_wind_speed", "Wind speed", 5, .decimal),
            ("weather_summary", "Weather summary", 6, .text), ("weather_icon", "Weather icon", 16, .text),
            ("day_length", "Day length", 8, .duration),
        ],
    ]
}

enum ExistFirstAttributes {
    static let attributes: [ExistAttribute] = templated + tags

    private static let templated = owners.flatMap { service, names in
        names.compactMap(ExistTemplates.named).map { template in
            var attribute = template.owned(
                by: ExistService(service), manual: service == "exist_for_ios",
                others: (rivals[template.name] ?? []).map(ExistService.init))
            // The user closed the account at Mastodon long ago, so its attribute is inactive.
            attribute.isActive = service != "mastodon"
            return attribute
        }
    }

    private static let owners: KeyValuePairs = [
        "withings": ["steps", "steps_distance", "floors", "active_energy", "weight", "body_fat"],
        "apple_health": ["steps_active_min", "workouts", "workouts_min"],
        "rescuetime": ["productive_min", "distracting_min"],
        "github": ["commits"],
        "todoist": ["tasks_completed"],
        "oura": ["sleep", "sleep_start", "sleep_end", "sleep_deep", "heartrate_resting", "heartrate_variability"],
        "exist_for_ios": [
            "mood", "energy_level", "stress_level", "mood_note", "coffees", "alcoholic_drinks", "water",
        ],
        "headspace": ["meditation_min"],
        "lastfm": ["tracks"],
        "goodreads": ["pages_read"],
        "trakt": ["tv_min"],
        "google_calendar": ["events", "events_duration"],
        "foursquare": ["checkins"],
        "mastodon": ["mastodon_posts"],
        "weather": [
            "weather_temp_max", "weather_temp_min", "weather_precipitation", "weather_cloud_cover", "weather_summary",
        ],
    ]

    private static let tags: [ExistAttribute] = [
        ("guitar", "Guitar"), ("late_to_sleep", "Late to sleep"), ("friends", "Friends 🎈"), ("headache", "Headache"),
        ("camping", "Camping ⛺️"),
    ].map { name, label in
        ExistAttribute(
            name: name, label: label, group: .custom, valueType: .boolean, manual: true,
            service: ExistService("exist_for_ios"))
    }

    private static let rivals = [
        "steps": ["oura", "apple_health"], "active_energy": ["apple_health"], "weight": ["apple_health"],
        "sleep": ["withings"], "heartrate_resting": ["withings"], "meditation_min": ["apple_health"],
    ]
}
