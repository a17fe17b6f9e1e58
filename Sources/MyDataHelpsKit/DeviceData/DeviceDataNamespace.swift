/// Where device data comes from.
public struct DeviceDataNamespace: ServiceWord {
    /// The service's word.
    public let rawValue: String

    /// Any namespace.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// What apps of the project stored themselves.
    public static let project = DeviceDataNamespace(rawValue: "Project")
    /// Fitbit.
    public static let fitbit = DeviceDataNamespace(rawValue: "Fitbit")
    /// Apple Health.
    public static let appleHealth = DeviceDataNamespace(rawValue: "AppleHealth")
    /// Google Fit.
    public static let googleFit = DeviceDataNamespace(rawValue: "GoogleFit")
    /// Air quality.
    public static let airNowApi = DeviceDataNamespace(rawValue: "AirNowApi")
    /// Weather.
    public static let weatherBit = DeviceDataNamespace(rawValue: "WeatherBit")
    /// Omron.
    public static let omron = DeviceDataNamespace(rawValue: "Omron")
    /// Garmin.
    public static let garmin = DeviceDataNamespace(rawValue: "Garmin")
}
