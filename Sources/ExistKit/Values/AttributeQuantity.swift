/// The quantity an attribute measures: the stored unit, and the one shown to users who prefer another.
struct AttributeQuantity {
    let stored: ValueUnit
    /// The unit shown to users who don't prefer the imperial one, if it isn't the stored one.
    private var metric: ValueUnit?
    private var imperial: (unit: ValueUnit, isPreferred: KeyPath<User, Bool>)?
    /// Whether Exist accepts only whole numbers.
    private(set) var isWhole = false

    init?(_ attribute: Attribute) {
        switch attribute.valueType {
        case .minFromMidnight: self.init(.minutesAfterMidnight)
        case .minFromMidday: self.init(.minutesAfterMidday, metric: .minutesAfterMidnight)
        case .string, .boolean, .scale, .percentage, .unknown: return nil
        case .int, .float, .periodMin:
            self.init(template: attribute.template ?? attribute.name, type: attribute.valueType)
        }
    }

    private init(_ stored: ValueUnit, metric: ValueUnit? = nil) { (self.stored, self.metric) = (stored, metric) }

    /// Creates a template's quantity, as only templates mean the same for every user. Durations are always minutes.
    init?(template: String, type: ValueType? = nil) {
        // Comparing an excessively long text from a service would be slow; none of these is as long as 64 bytes.
        switch template.utf8.count > 64 ? "" : template {
        case _ where type == .periodMin: (stored, isWhole) = (.minutes, true)
        case "steps_distance", "cycle_distance", "workouts_distance", "steps_elevation":
            (stored, imperial) = (.kilometers, (.miles, \.imperialDistance))
        case "weight", "lean_mass": (stored, imperial) = (.kilograms, (.pounds, \.imperialWeight))
        case "energy", "active_energy": (stored, imperial) = (.kilojoules, (.kilocalories, \.imperialEnergy))
        case "water":
            (stored, imperial) = (.milliliters, (.fluidOunces, \.imperialLiquid))
            isWhole = true
        case "weather_temp_max", "weather_temp_min":
            (stored, imperial) = (.celsius, (.fahrenheit, \.imperialTemperature))
        case "weather_wind_speed": (stored, imperial) = (.kilometersPerHour, (.milesPerHour, \.imperialDistance))
        // Inches of water per hour: the only unit stored by Exist that is not metric.
        case "weather_precipitation":
            (stored, metric, imperial) = (.inchesPerHour, .millimetersPerHour, (.inchesPerHour, \.imperialDistance))
        case "carbohydrates", "fat", "fibre", "protein", "sugar": stored = .grams
        case "sodium", "cholesterol", "caffeine": stored = .milligrams
        case "steps_active_min", "cycle_min", "workouts_min", "productive_min", "neutral_min", "distracting_min",
            "pomodoros_min", "sleep", "time_in_bed", "sleep_light", "sleep_deep", "sleep_rem", "events_duration",
            "meditation_min", "mobile_screen_min", "gaming_min", "tv_min", "movies_min", "day_length":
            (stored, isWhole) = (.minutes, true)
        default: return nil
        }
    }

    func shown(to user: User) -> ValueUnit {
        imperial.flatMap { user[keyPath: $0.isPreferred] ? $0.unit : nil } ?? metric ?? stored
    }
}
