enum ExistFirstAttributes {
    static let attributes: [ExistAttribute] = templated + tags

    private static let templated = owners.flatMap { service, names in
        names.compactMap(ExistTemplates.named).map { template in
            var attribute = template.owned(
                by: ExistService(service), manual: service == "exist_for_ios",
                others: (rivals[template.name] ?? []).map(ExistService.init))
            // The user closed this account long ago, so the attribute is inactive.
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
