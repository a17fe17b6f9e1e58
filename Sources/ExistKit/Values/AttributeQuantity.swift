import Foundation

/// The quantity an attribute measures: the stored unit, and the one shown to users who prefer another.
struct AttributeQuantity {
    let stored: Dimension
    private var imperial: (unit: Dimension, isPreferred: KeyPath<User, Bool>)?
    /// Whether Exist accepts only whole numbers.
    private(set) var isWhole = false

    init?(_ attribute: Attribute) {
        self.init(template: attribute.template ?? attribute.name, type: attribute.valueType)
    }

    /// Creates a template's quantity, as only templates mean the same for every user. Durations are always minutes.
    init?(template: String, type: ValueType? = nil) {
        // Comparing an excessively long text from a service would be slow; none of these is as long as 64 bytes.
        switch template.utf8.count > 64 ? "" : template {
        case "steps_distance", "cycle_distance", "workouts_distance", "steps_elevation":
            (stored, imperial) = (UnitLength.kilometers, (UnitLength.miles, \.imperialDistance))
        case "weight", "lean_mass": (stored, imperial) = (UnitMass.kilograms, (UnitMass.pounds, \.imperialWeight))
        case "energy", "active_energy":
            (stored, imperial) = (UnitEnergy.kilojoules, (UnitEnergy.kilocalories, \.imperialEnergy))
        case "water":
            (stored, imperial) = (UnitVolume.milliliters, (UnitVolume.fluidOunces, \.imperialLiquid))
            isWhole = true
        case "weather_temp_max", "weather_temp_min":
            (stored, imperial) = (UnitTemperature.celsius, (UnitTemperature.fahrenheit, \.imperialTemperature))
        case "weather_wind_speed":
            (stored, imperial) = (UnitSpeed.kilometersPerHour, (UnitSpeed.milesPerHour, \.imperialDistance))
        // Inches of water per hour: the only unit stored by Exist that is not metric.
        case "weather_precipitation":
            stored = UnitSpeed(symbol: "in/h", converter: UnitConverterLinear(coefficient: 0.0254 / 3600))
        case "carbohydrates", "fat", "fibre", "protein", "sugar": stored = UnitMass.grams
        case "sodium", "cholesterol", "caffeine": stored = UnitMass.milligrams
        case "steps_active_min", "cycle_min", "workouts_min", "productive_min", "neutral_min", "distracting_min",
            "pomodoros_min", "sleep", "time_in_bed", "sleep_light", "sleep_deep", "sleep_rem", "events_duration",
            "meditation_min", "mobile_screen_min", "gaming_min", "tv_min", "movies_min", "day_length",
            _ where type == .periodMin:
            (stored, isWhole) = (UnitDuration.minutes, true)
        default: return nil
        }
    }

    func shown(to user: User) -> Dimension {
        imperial.flatMap { user[keyPath: $0.isPreferred] ? $0.unit : nil } ?? stored
    }
}
