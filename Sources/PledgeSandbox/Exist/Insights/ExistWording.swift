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
        "productive_min": ExistWording("you are productive for longer", "you are productive for less time"),
        "mood": ExistWording("you have a better day", "you have a worse day"),
        "energy_level": ExistWording("you have more energy", "you have less energy"),
        "stress_level": ExistWording("you are more stressed", "you are less stressed"),
        "sleep": ExistWording("you sleep longer", "you sleep less"),
        "sleep_start": ExistWording("you go to bed later", "you go to bed earlier"),
        "sleep_end": ExistWording("you get up later", "you get up earlier"),
        "coffees": ExistWording("you drink more coffee", "you drink less coffee"),
        "alcoholic_drinks": ExistWording("you drink more alcohol", "you drink less alcohol"),
        "heartrate_resting": ExistWording("your resting heart rate is higher", "your resting heart rate is lower"),
        "heartrate_variability": ExistWording("your heart rate varies more", "your heart rate varies less"),
        "weather_temp_max": ExistWording("it is warmer", "it is colder"),
        "weather_temp_min": ExistWording("the night is warmer", "the night is colder"),
    ]
}
