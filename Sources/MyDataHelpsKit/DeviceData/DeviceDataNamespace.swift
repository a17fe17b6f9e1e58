/// Where device data comes from.
public struct DeviceDataNamespace: ServiceWord {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// What apps of the project stored themselves.
    public static let project = DeviceDataNamespace(rawValue: "Project")
    /// What the participant's Fitbit account has.
    public static let fitbit = DeviceDataNamespace(rawValue: "Fitbit")
    /// What Apple Health has on the participant's phone.
    public static let appleHealth = DeviceDataNamespace(rawValue: "AppleHealth")
    /// What Google Fit has on the participant's phone.
    public static let googleFit = DeviceDataNamespace(rawValue: "GoogleFit")
    /// Air quality, as AirNow measures it.
    public static let airNowApi = DeviceDataNamespace(rawValue: "AirNowApi")
    /// The weather where the participant is.
    public static let weatherBit = DeviceDataNamespace(rawValue: "WeatherBit")
    /// What the participant's Omron account has.
    public static let omron = DeviceDataNamespace(rawValue: "Omron")
    /// What the participant's Garmin account has.
    public static let garmin = DeviceDataNamespace(rawValue: "Garmin")
}
