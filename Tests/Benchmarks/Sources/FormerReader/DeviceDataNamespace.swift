struct DeviceDataNamespace: ServiceWord {
    let rawValue: String
    init(rawValue: String) { self.rawValue = rawValue }
    static let project = DeviceDataNamespace(rawValue: "Project")
    static let fitbit = DeviceDataNamespace(rawValue: "Fitbit")
    static let appleHealth = DeviceDataNamespace(rawValue: "AppleHealth")
    static let googleFit = DeviceDataNamespace(rawValue: "GoogleFit")
    static let airNowApi = DeviceDataNamespace(rawValue: "AirNowApi")
    static let weatherBit = DeviceDataNamespace(rawValue: "WeatherBit")
    static let omron = DeviceDataNamespace(rawValue: "Omron")
    static let garmin = DeviceDataNamespace(rawValue: "Garmin")
}
