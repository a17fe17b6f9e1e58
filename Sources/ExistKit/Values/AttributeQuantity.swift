import Foundation

/// The quantity an attribute measures, which determines the stored unit and the one shown to a user.
enum AttributeQuantity {
    case distance, mass, energy, liquid, temperature, wind, rain, grams, milligrams, duration

    init?(_ attribute: Attribute) {
        self.init(template: attribute.template ?? attribute.name, type: attribute.valueType)
    }

    /// Creates a template's quantity, as only templates mean the same for every user. Durations are always minutes.
    init?(template: String, type: ValueType? = nil) {
        // Comparing an excessively long text from a service would be slow; none of these is as long as 64 bytes.
        switch template.utf8.count > 64 ? "" : template {
        case "steps_distance", "cycle_distance", "workouts_distance", "steps_elevation": self = .distance
        case "weight", "lean_mass": self = .mass
        case "energy", "active_energy": self = .energy
        case "water": self = .liquid
        case "weather_temp_max", "weather_temp_min": self = .temperature
        case "weather_wind_speed": self = .wind
        case "weather_precipitation": self = .rain
        case "carbohydrates", "fat", "fibre", "protein", "sugar": self = .grams
        case "sodium", "cholesterol", "caffeine": self = .milligrams
        case "steps_active_min", "cycle_min", "workouts_min", "productive_min", "neutral_min", "distracting_min",
            "pomodoros_min", "sleep", "time_in_bed", "sleep_light", "sleep_deep", "sleep_rem", "events_duration",
            "meditation_min", "mobile_screen_min", "gaming_min", "tv_min", "movies_min", "day_length":
            self = .duration
        default:
            guard type == .periodMin else { return nil }
            self = .duration
        }
    }

    var stored: Dimension {
        switch self {
        case .distance: UnitLength.kilometers
        case .mass: UnitMass.kilograms
        case .energy: UnitEnergy.kilojoules
        case .liquid: UnitVolume.milliliters
        case .temperature: UnitTemperature.celsius
        case .wind: UnitSpeed.kilometersPerHour
        case .rain: Self.inchesPerHour
        case .grams: UnitMass.grams
        case .milligrams: UnitMass.milligrams
        case .duration: UnitDuration.minutes
        }
    }

    func shown(to user: User) -> Dimension {
        switch self {
        case .distance where user.imperialDistance: UnitLength.miles
        case .mass where user.imperialWeight: UnitMass.pounds
        case .energy where user.imperialEnergy: UnitEnergy.kilocalories
        case .liquid where user.imperialLiquid: UnitVolume.fluidOunces
        case .temperature where user.imperialTemperature: UnitTemperature.fahrenheit
        case .wind where user.imperialDistance: UnitSpeed.milesPerHour
        default: stored
        }
    }

    /// Whether Exist accepts only whole numbers.
    var isWhole: Bool { self == .liquid || self == .duration }

    /// Inches of water per hour, for precipitation: the only unit stored by Exist that is not metric.
    private static var inchesPerHour: UnitSpeed {
        UnitSpeed(symbol: "in/h", converter: UnitConverterLinear(coefficient: 0.0254 / 3600))
    }
}
