/// Phrases about an attribute: "you walk more", "you walk less".
enum ExistWording {
    static func of(_ attribute: ExistAttribute) -> (more: String, less: String) {
        if attribute.valueType == .boolean {
            return ("you tag '\(attribute.name)' more", "you tag '\(attribute.name)' less")
        }
        let label = attribute.label.lowercased()
        return known[attribute.name] ?? ("you have more \(label)", "you have less \(label)")
    }

    private static let known = [
        "steps": ("you walk more", "you walk less"),
        "productive_min": ("you are productive for longer", "you are productive for less time"),
        "mood": ("you have a better day", "you have a worse day"),
        "energy_level": ("you have more energy", "you have less energy"),
        "stress_level": ("you are more stressed", "you are less stressed"),
        "sleep": ("you sleep longer", "you sleep less"),
        "sleep_start": ("you go to bed later", "you go to bed earlier"),
        "sleep_end": ("you get up later", "you get up earlier"),
        "coffees": ("you drink more coffee", "you drink less coffee"),
        "alcoholic_drinks": ("you drink more alcohol", "you drink less alcohol"),
        "heartrate_resting": ("your resting heart rate is higher", "your resting heart rate is lower"),
        "heartrate_variability": ("your heart rate varies more", "your heart rate varies less"),
        "weather_temp_max": ("it is warmer", "it is colder"),
        "weather_temp_min": ("the night is warmer", "the night is colder"),
    ]
}
