import ExistKit

/// The unit an attribute is shown in: Exist keeps metric values, and each user says which of them to see as imperial.
struct DisplayUnit {
    var symbol: String?
    var convert: @Sendable (Double) -> Double

    init(_ attribute: ExistKit.Attribute, for user: User) {
        // Bedtimes count from midday; shown from midnight they may pass 24:00, so that late nights sort last.
        if attribute.valueType == .minFromMidday {
            self.init(nil) { $0 + 720 }
            return
        }
        switch attribute.template ?? attribute.name {
        case "steps_distance", "cycle_distance", "workouts_distance", "steps_elevation":
            self = user.imperialDistance ? DisplayUnit("mi") { $0 / 1.609344 } : DisplayUnit("km")
        case "weight", "lean_mass":
            self = user.imperialWeight ? DisplayUnit("lb") { $0 / 0.45359237 } : DisplayUnit("kg")
        case "energy", "active_energy":
            self = user.imperialEnergy ? DisplayUnit("kcal") { $0 / 4.184 } : DisplayUnit("kJ")
        case "water":
            self = user.imperialLiquid ? DisplayUnit("fl oz") { $0 / 29.5735295625 } : DisplayUnit("ml")
        case "weather_temp_max", "weather_temp_min":
            self = user.imperialTemperature ? DisplayUnit("°F") { $0 * 9 / 5 + 32 } : DisplayUnit("°C")
        case "weather_wind_speed":
            self = user.imperialDistance ? DisplayUnit("mph") { $0 / 1.609344 } : DisplayUnit("km/h")
        case "weather_precipitation": self = DisplayUnit("in/h")
        case "carbohydrates", "fat", "fibre", "protein", "sugar": self = DisplayUnit("g")
        case "sodium", "cholesterol", "caffeine": self = DisplayUnit("mg")
        default: self = DisplayUnit(nil)
        }
    }

    private init(_ symbol: String?, _ convert: @escaping @Sendable (Double) -> Double = { $0 }) {
        self.symbol = symbol
        self.convert = convert
    }
}
