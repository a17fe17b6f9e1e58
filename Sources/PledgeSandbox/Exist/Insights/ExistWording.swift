/// Phrases about an attribute: "you walk more", "you walk less".
struct ExistWording {
    let more: String
    let less: String

    init(_ more: String, _ less: String) {
        self.more = more
        self.less = less
    }

    init(_ attribute: ExistAttribute) {
        if attribute.valueType == .boolean {
            self.init("you tag '\(attribute.name)' more", "you tag '\(attribute.name)' less")
        } else {
            let label = attribute.label.lowercased()
            self = Self.known[attribute.name] ?? ExistWording("you have more \(label)", "you have less \(label)")
        }
    }

    private static let known = [
        "steps": ExistWording("you walk more", "you walk less"),
        "steps_active_min": ExistWording("you are active for longer", "you are active for less time"),
        "steps_distance": ExistWording("you walk further", "you walk less far"),
        "floors": ExistWording("you climb more floors", "you climb fewer floors"),
        "active_energy": ExistWording("you burn more energy", "you burn less energy"),
        "workouts": ExistWording("you work out more often", "you work out less often"),
        "workouts_min": ExistWording("you work out for longer", "you work out for less time"),
        "productive_min": ExistWording("you are productive for longer", "you are productive for less time"),
        "distracting_min": ExistWording("you are distracted for longer", "you are distracted for less time"),
        "commits": ExistWording("you commit more code", "you commit less code"),
        "tasks_completed": ExistWording("you complete more tasks", "you complete fewer tasks"),
        "mood": ExistWording("you have a better day", "you have a worse day"),
        "energy_level": ExistWording("you have more energy", "you have less energy"),
        "stress_level": ExistWording("you are more stressed", "you are less stressed"),
        "sleep": ExistWording("you sleep longer", "you sleep less"),
        "sleep_deep": ExistWording("you get more deep sleep", "you get less deep sleep"),
        "sleep_start": ExistWording("you go to bed later", "you go to bed earlier"),
        "sleep_end": ExistWording("you get up later", "you get up earlier"),
        "coffees": ExistWording("you drink more coffee", "you drink less coffee"),
        "alcoholic_drinks": ExistWording("you drink more alcohol", "you drink less alcohol"),
        "water": ExistWording("you drink more water", "you drink less water"),
        "weight": ExistWording("you weigh more", "you weigh less"),
        "body_fat": ExistWording("you have more body fat", "you have less body fat"),
        "heartrate_resting": ExistWording("your resting heart rate is higher", "your resting heart rate is lower"),
        "heartrate_variability": ExistWording("your heart rate varies more", "your heart rate varies less"),
        "meditation_min": ExistWording("you meditate for longer", "you meditate for less time"),
        "tracks": ExistWording("you listen to more music", "you listen to less music"),
        "pages_read": ExistWording("you read more pages", "you read fewer pages"),
        "tv_min": ExistWording("you watch more TV", "you watch less TV"),
        "events": ExistWording("you have more events", "you have fewer events"),
        "events_duration": ExistWording("you spend longer in events", "you spend less time in events"),
        "checkins": ExistWording("you check in more often", "you check in less often"),
        "weather_temp_max": ExistWording("it is warmer", "it is colder"),
        "weather_temp_min": ExistWording("the night is warmer", "the night is colder"),
        "weather_precipitation": ExistWording("it rains more", "it rains less"),
        "weather_cloud_cover": ExistWording("there are more clouds", "there are fewer clouds"),
    ]
}
